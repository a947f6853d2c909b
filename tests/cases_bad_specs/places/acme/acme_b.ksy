# generate: acme/acme_b.ksy:16:5: error: 300 is not a number from 0 to 255 or a text [/seq/0/contents]
# generate: acme/acme_b.ksy:19:5: error: an enumeration is of whole numbers, not of bytes [/seq/1/enum]
# generate: acme/acme_b.ksy:26:5: error: a list without items has no type [/instances/none/value]
# generate: acme/acme_b.ksy:28:5: error: a list has no _sizeof [/instances/long/value]
# generate: acme/acme_b.ksy:34:9: error: nothing is of the type acme_b.alone, so that it has no _parent [/types/alone/seq/0/if]
# lint: acme/acme_b.ksy:16:5: error: 300 is not a number from 0 to 255 or a text [/seq/0/contents]
# lint: acme/acme_b.ksy:19:5: error: an enumeration is of whole numbers, not of bytes [/seq/1/enum]
# lint: acme/acme_b.ksy:26:5: error: a list without items has no type [/instances/none/value]
# lint: acme/acme_b.ksy:28:5: error: a list has no _sizeof [/instances/long/value]
# lint: acme/acme_b.ksy:34:9: error: nothing is of the type acme_b.alone, so that it has no _parent [/types/alone/seq/0/if]
meta:
  id: acme_b
  endian: be
seq:
  - id: mark
    contents: [0x50, 300]
  - id: state
    size: 1
    enum: state
  - id: items
    type: u1
    repeat: expr
    repeat-expr: 2
instances:
  none:
    value: '[]'
  long:
    value: items._sizeof
types:
  alone:
    seq:
      - id: one
        type: u1
        if: _parent.mark.length > 1
enums:
  state:
    1: open
