# generate: acme/acme_a.ksy:90:28: error: if must be true or false, not a member of acme_a.kind [/seq/3/if]
# generate: acme/acme_a.ksy:91:25: error: there is no bar in acme_a; did you mean far? [/seq/4/if]
# generate: acme/acme_a.ksy:92:39: error: repeat-expr must be a whole number, not a real number [/seq/5/repeat-expr]
# generate: acme/acme_a.ksy:93:41: error: repeat-until must be true or false, not a whole number [/seq/6/repeat-until]
# generate: acme/acme_a.ksy:94:15: error: size must be a whole number, not text [/seq/7/size]
# generate: acme/acme_a.ksy:94:27: error: what xor takes must be a whole number or bytes, not text [/seq/7/process]
# generate: acme/acme_a.ksy:95:27: error: what rol takes must be a whole number, not bytes [/seq/8/process]
# generate: acme/acme_a.ksy:96:37: error: valid compares a whole number with text [/seq/9/valid/min]
# generate: acme/acme_a.ksy:97:48: error: valid compares a whole number with text [/seq/10/valid/any-of/1]
# generate: acme/acme_a.ksy:98:36: error: expr must be true or false, not a whole number [/seq/11/valid/expr]
# generate: acme/acme_a.ksy:99:18: error: acme_a.inner takes 2 arguments (one, two), not 1 [/seq/12/type]
# generate: acme/acme_a.ksy:101:58: error: a case compares a member of acme_a.kind with a whole number [/seq/14/type/cases/1]
# generate: acme/acme_a.ksy:101:58: error: the parameter two must be a whole number, not text [/seq/14/type/cases/1]
# generate: acme/acme_a.ksy:101:79: error: a case compares a member of acme_a.kind with a member of acme_a.other [/seq/14/type/cases/other::first]
# generate: acme/acme_a.ksy:101:99: error: the enumeration kind has no third [/seq/14/type/cases/kind::third]
# generate: acme/acme_a.ksy:103:13: error: there is no bar in acme_a; did you mean far? [/instances/unknown/value]
# generate: acme/acme_a.ksy:104:16: error: there is no amuont in acme_a; did you mean amount? [/instances/misspelled/value]
# generate: acme/acme_a.ksy:105:9: error: there is no amount in acme_a.inner [/instances/far/value]
# generate: acme/acme_a.ksy:106:13: error: a list has no amount [/instances/farther/value]
# generate: acme/acme_a.ksy:107:21: error: + is for numbers, not for text [/instances/text_and_number/value]
# generate: acme/acme_a.ksy:108:18: error: & is for whole numbers, not for text [/instances/bits_of_text/value]
# generate: acme/acme_a.ksy:109:18: error: << is for whole numbers, not for a real number [/instances/bits_of_real/value]
# generate: acme/acme_a.ksy:110:10: error: < compares text with a whole number [/instances/less/value]
# generate: acme/acme_a.ksy:111:11: error: == compares a member of acme_a.kind with a whole number [/instances/equal/value]
# generate: acme/acme_a.ksy:112:13: error: == compares a member of acme_a.kind with a member of acme_a.other [/instances/members/value]
# generate: acme/acme_a.ksy:113:12: error: the condition of ? must be true or false, not a real number [/instances/choice/value]
# generate: acme/acme_a.ksy:114:13: error: what stands behind not must be true or false, not a member of acme_a.kind [/instances/negated/value]
# generate: acme/acme_a.ksy:115:10: error: each side of and must be true or false, not text [/instances/both/value]
# generate: acme/acme_a.ksy:116:11: error: - is for numbers, not for text [/instances/minus/value]
# generate: acme/acme_a.ksy:117:10: error: an enumeration is of whole numbers, not of a real number [/instances/word/value]
# generate: acme/acme_a.ksy:118:10: error: a real number has no items [/instances/item/value]
# generate: acme/acme_a.ksy:119:11: error: the number of an item must be a whole number, not text [/instances/place/value]
# generate: acme/acme_a.ksy:120:10: error: substring takes 2 arguments, not 1 [/instances/call/value]
# generate: acme/acme_a.ksy:121:12: error: text has no upper [/instances/method/value]
# generate: acme/acme_a.ksy:122:13: error: there is no enumeration nobody [/instances/missing/value]
# generate: acme/acme_a.ksy:123:12: error: pos must be a whole number, not text [/instances/stream/pos]
# generate: acme/acme_a.ksy:123:23: error: io must be a stream, not text [/instances/stream/io]
# generate: acme/acme_a.ksy:124:10: error: _on means nothing here [/instances/here/value]
# generate: acme/acme_a.ksy:125:11: error: there is no item -1: items count from 0, and .last is the last one [/instances/below/value]
# generate: acme/acme_a.ksy:126:15: error: there is no item -1: items count from 0, and .last is the last one [/instances/far_below/pos]
# generate: acme/acme_a.ksy:132:15: error: there is no three in acme_a; did you mean here? [/types/inner/instances/above/value]
# generate: acme/acme_a.ksy:133:13: error: there is no nobody in acme_a; did you mean body? [/types/inner/instances/top/value]
# lint: acme/acme_a.ksy:90:28: error: if must be true or false, not a member of acme_a.kind [/seq/3/if]
# lint: acme/acme_a.ksy:91:25: error: there is no bar in acme_a; did you mean far? [/seq/4/if]
# lint: acme/acme_a.ksy:92:39: error: repeat-expr must be a whole number, not a real number [/seq/5/repeat-expr]
# lint: acme/acme_a.ksy:93:41: error: repeat-until must be true or false, not a whole number [/seq/6/repeat-until]
# lint: acme/acme_a.ksy:94:15: error: size must be a whole number, not text [/seq/7/size]
# lint: acme/acme_a.ksy:94:27: error: what xor takes must be a whole number or bytes, not text [/seq/7/process]
# lint: acme/acme_a.ksy:95:27: error: what rol takes must be a whole number, not bytes [/seq/8/process]
# lint: acme/acme_a.ksy:96:37: error: valid compares a whole number with text [/seq/9/valid/min]
# lint: acme/acme_a.ksy:97:48: error: valid compares a whole number with text [/seq/10/valid/any-of/1]
# lint: acme/acme_a.ksy:98:36: error: expr must be true or false, not a whole number [/seq/11/valid/expr]
# lint: acme/acme_a.ksy:99:18: error: acme_a.inner takes 2 arguments (one, two), not 1 [/seq/12/type]
# lint: acme/acme_a.ksy:101:58: error: a case compares a member of acme_a.kind with a whole number [/seq/14/type/cases/1]
# lint: acme/acme_a.ksy:101:58: error: the parameter two must be a whole number, not text [/seq/14/type/cases/1]
# lint: acme/acme_a.ksy:101:79: error: a case compares a member of acme_a.kind with a member of acme_a.other [/seq/14/type/cases/other::first]
# lint: acme/acme_a.ksy:101:99: error: the enumeration kind has no third [/seq/14/type/cases/kind::third]
# lint: acme/acme_a.ksy:103:13: error: there is no bar in acme_a; did you mean far? [/instances/unknown/value]
# lint: acme/acme_a.ksy:104:16: error: there is no amuont in acme_a; did you mean amount? [/instances/misspelled/value]
# lint: acme/acme_a.ksy:105:9: error: there is no amount in acme_a.inner [/instances/far/value]
# lint: acme/acme_a.ksy:106:13: error: a list has no amount [/instances/farther/value]
# lint: acme/acme_a.ksy:107:21: error: + is for numbers, not for text [/instances/text_and_number/value]
# lint: acme/acme_a.ksy:108:18: error: & is for whole numbers, not for text [/instances/bits_of_text/value]
# lint: acme/acme_a.ksy:109:18: error: << is for whole numbers, not for a real number [/instances/bits_of_real/value]
# lint: acme/acme_a.ksy:110:10: error: < compares text with a whole number [/instances/less/value]
# lint: acme/acme_a.ksy:111:11: error: == compares a member of acme_a.kind with a whole number [/instances/equal/value]
# lint: acme/acme_a.ksy:112:13: error: == compares a member of acme_a.kind with a member of acme_a.other [/instances/members/value]
# lint: acme/acme_a.ksy:113:12: error: the condition of ? must be true or false, not a real number [/instances/choice/value]
# lint: acme/acme_a.ksy:114:13: error: what stands behind not must be true or false, not a member of acme_a.kind [/instances/negated/value]
# lint: acme/acme_a.ksy:115:10: error: each side of and must be true or false, not text [/instances/both/value]
# lint: acme/acme_a.ksy:116:11: error: - is for numbers, not for text [/instances/minus/value]
# lint: acme/acme_a.ksy:117:10: error: an enumeration is of whole numbers, not of a real number [/instances/word/value]
# lint: acme/acme_a.ksy:118:10: error: a real number has no items [/instances/item/value]
# lint: acme/acme_a.ksy:119:11: error: the number of an item must be a whole number, not text [/instances/place/value]
# lint: acme/acme_a.ksy:120:10: error: substring takes 2 arguments, not 1 [/instances/call/value]
# lint: acme/acme_a.ksy:121:12: error: text has no upper [/instances/method/value]
# lint: acme/acme_a.ksy:122:13: error: there is no enumeration nobody [/instances/missing/value]
# lint: acme/acme_a.ksy:123:12: error: pos must be a whole number, not text [/instances/stream/pos]
# lint: acme/acme_a.ksy:123:23: error: io must be a stream, not text [/instances/stream/io]
# lint: acme/acme_a.ksy:124:10: error: _on means nothing here [/instances/here/value]
# lint: acme/acme_a.ksy:125:11: error: there is no item -1: items count from 0, and .last is the last one [/instances/below/value]
# lint: acme/acme_a.ksy:126:15: error: there is no item -1: items count from 0, and .last is the last one [/instances/far_below/pos]
# lint: acme/acme_a.ksy:132:15: error: there is no three in acme_a; did you mean here? [/types/inner/instances/above/value]
# lint: acme/acme_a.ksy:133:13: error: there is no nobody in acme_a; did you mean body? [/types/inner/instances/top/value]
meta: {id: acme_a, endian: be, encoding: ascii}
seq:
  - {id: flags, type: u1, enum: kind}
  - {id: amount, type: f4}
  - {id: is_there, type: b1}
  - {id: name, type: strz, if: flags}
  - {id: code, size: 2, if: bar}
  - {id: few, type: u1, repeat: expr, repeat-expr: amount}
  - {id: many, type: u1, repeat: until, repeat-until: _ + 1}
  - {id: raw, size: name, process: xor(name)}
  - {id: turned, size: 1, process: 'rol(code)'}
  - {id: limited, type: u1, valid: {min: name, max: 'amount'}}
  - {id: listed, type: u1, valid: {any-of: [1, '"a"']}}
  - {id: tested, type: u1, valid: {expr: _ + 1}}
  - {id: nested, type: inner(1)}
  - {id: other, type: 'inner(1, 2)'}
  - {id: body, size: 4, type: {switch-on: flags, cases: {1: 'inner(1, name)', 'other::first': u1, 'kind::third': u1}}}
instances:
  unknown: {value: bar}
  misspelled: {value: amuont}
  far: {value: nested.amount}
  farther: {value: few.amount}
  text_and_number: {value: name + 1}
  bits_of_text: {value: name & 1}
  bits_of_real: {value: amount << 1}
  less: {value: name < 1}
  equal: {value: 'flags == 1'}
  members: {value: 'flags == other::first'}
  choice: {value: 'amount ? 1 : 2'}
  negated: {value: not flags}
  both: {value: is_there and name}
  minus: {value: -name}
  word: {value: amount, enum: kind}
  item: {value: 'amount[0]'}
  place: {value: 'few[name]'}
  call: {value: name.substring(1)}
  method: {value: name.upper}
  missing: {value: 'nobody::first'}
  stream: {pos: name, io: name, size: 1}
  here: {value: _on}
  below: {value: 'few[ - ( 0x1 ) ] + few[few[-2]]'}
  far_below: {pos: 'few[-1]', type: u1}
types:
  inner:
    params: [{id: one, type: u1}, {id: two, type: u1}]
    seq: [{id: three, type: u1}]
    instances:
      above: {value: _parent.three}
      top: {value: _root.nobody}
enums:
  kind: {1: first, 2: second}
  other: {1: first}
