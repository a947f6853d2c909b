meta: {id: big, endian: be, ks-version: '0.10'}
seq:
  - {id: one, type: u8, enum: kind}
  - {id: two, type: s8, valid: {min: -9223372036854775808, max: 9223372036854775807}}
  - {id: three, type: u8, valid: {any-of: [18446744073709551615, 0, 0xffff_ffff_ffff_0001]}}
enums:
  kind: {9007199254740993: odd, 0x7fffffffffffffff: most, -5: negative, 0b11: binary}
