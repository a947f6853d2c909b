meta: {id: truths}
seq:
  - {id: answer, type: u1, enum: answer}
  - {id: is_no, type: u1, if: 'answer == answer::no or answer == answer::off or answer == answer::false'}
  - {id: on, type: 'yes'}
enums:
  answer:
    0: no
    1: yes
    2: off
    3: on
    4: false
    5: {id: true, doc: as a program says it}
    78: n
types:
  yes:
    seq: [{id: y, type: u1}]
instances:
  off: {value: answer.to_i}
