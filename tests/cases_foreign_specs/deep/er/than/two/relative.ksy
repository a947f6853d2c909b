meta:
  id: relative
  imports:
    - ../../../../common/shared
    - neighbour
seq:
  - id: points
    type: shared::point
    repeat: eos
    if: false
  - id: one
    type: neighbour
