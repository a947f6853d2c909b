"""Records of a Log Master log by the column: headers and row images of many changes."""
