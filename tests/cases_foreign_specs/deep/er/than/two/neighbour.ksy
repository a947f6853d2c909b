meta:
  id: neighbour
  imports: /common/shared
seq:
  - {id: at, type: 'shared::point'}
