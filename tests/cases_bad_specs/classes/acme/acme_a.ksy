# generate: acme/acme_a.ksy:14:3: error: 'x_1' becomes the class X1, as types/x1 does [/types/x_1]
# generate: acme/acme_a.ksy:15:3: error: 'kind' becomes the class Kind, as enums/kind does [/types/kind]
# generate: acme/acme_a.ksy:16:3: error: 'none' becomes the class None, which means something else in the generated code [/types/none]
# generate: acme/acme_a.ksy:19:20: error: 'mro' means something else in the generated code [/enums/kind/2]
# lint: acme/acme_a.ksy:14:3: error: 'x_1' becomes the class X1, as types/x1 does [/types/x_1]
# lint: acme/acme_a.ksy:15:3: error: 'kind' becomes the class Kind, as enums/kind does [/types/kind]
# lint: acme/acme_a.ksy:16:3: error: 'none' becomes the class None, which means something else in the generated code [/types/none]
# lint: acme/acme_a.ksy:19:20: error: 'mro' means something else in the generated code [/enums/kind/2]
meta: {id: acme_a, title: Names that become the same class or a keyword, license: CC0-1.0, ks-version: '0.11'}
doc: d
doc-ref: r
types:
  x1: {doc: d, doc-ref: r}
  x_1: {doc: d, doc-ref: r}
  kind: {doc: d, doc-ref: r}
  none: {doc: d, doc-ref: r}
  class: {doc: d, doc-ref: r}
enums:
  kind: {1: class, 2: mro}
