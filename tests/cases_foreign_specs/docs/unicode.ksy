meta:
  id: unicode
  title: Größe, 大きさ, 👍
doc: |
  Ångström — «Größe» – 大きさ 👍 ‮ reversed
doc-ref:
  - 'https://example.org/größe Größe'
  - 'Ein Handbuch, „Größe“'
seq:
  - {id: name, size: 4, type: str, encoding: UTF-16LE, doc: 名前}
enums:
  size: {1: {id: big, doc: 大きさ, -orig-id: 大}}
