meta:
  id: shared
  title: What others import
  application: [One, Two]
  file-extension:
    - one
    - two
  xref:
    forensicswiki: shared
    iso: '12345'
    justsolve: Shared
    loc: [fdd000001, fdd000002]
    wikidata: Q1
  tags: [archive]
  license: CC0-1.0
  ks-version: 0.9
types:
  point:
    seq:
      - id: x
        type: s2be
      - id: y
        type: s2be
