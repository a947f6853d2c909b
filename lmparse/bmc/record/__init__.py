"""Records of a Log Master log, one by one: header, DATA area, segments and row images."""
