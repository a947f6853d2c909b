meta:
  id: bmc_lldf_data
  title: Log Master logical log, DATA of a data change record
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /bmc/bmc_lldf
  endian: be
doc: |
  What stands behind the header of a data change record; of a segmented one, the pieces of all
  segments put together.

  The page contradicts itself on the halfwords in front of row images: the table speaks of one
  that holds the total and counts itself, the text of one before each image that leaves itself
  out. `reading` says which of three ways holds; it is found once for a file, by arithmetic.

  That names of an exchange, limit keys of a mass delete and payloads without a described form
  have a leading total when their first halfword equals their whole length, and none otherwise, is
  inferred.
doc-ref: 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)", DATA'
params:
  - id: change_type
    type: u2
    enum: bmc_lldf::change_type
    doc: CHANGE TYPE of the header
  - id: reading
    type: u1
    enum: reading
    doc: How the halfwords count
seq:
  - id: total
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    -lm-source: |
      That it is the length of the DATA of all segments together, and there in one of three
      readings only, is inferred
    type: u2
    valid: _io.size
    if: has_total
    doc: Total length of the data segment, including these 2 bytes
    doc-ref: &table 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)", DATA'
  - id: body
    -lm-status: documented
    -lm-type: body
    -lm-source: |
      That an insert due to load action has the row image of an insert is inferred; for truncate,
      catalog object, command and status change the page describes no content
    type:
      switch-on: change_type
      cases:
        'bmc_lldf::change_type::update': row_images(2)
        'bmc_lldf::change_type::insert': row_images(1)
        'bmc_lldf::change_type::load_insert': row_images(1)
        'bmc_lldf::change_type::delete': row_images(1)
        'bmc_lldf::change_type::exchange': exchange
        'bmc_lldf::change_type::mass_delete': mass_delete
        _: payload
    doc: What the update type puts here
    doc-ref: *table
instances:
  has_row_images:
    -lm-status: documented
    -lm-column: false
    -lm-source: |
      That an insert due to load action has one as an insert has, and that only then a reading
      is chosen, is inferred
    value: 'change_type == bmc_lldf::change_type::update or change_type == bmc_lldf::change_type::insert or change_type == bmc_lldf::change_type::load_insert or change_type == bmc_lldf::change_type::delete'
    doc: Whether DATA contains row images
    doc-ref: *table
  first_halfword:
    -lm-status: documented
    -lm-column: false
    -lm-source: That they are a length in all three readings, and in names, is inferred
    pos: 0
    type: u2
    doc: The first two bytes
    doc-ref: *table
  has_total:
    -lm-status: inferred
    -lm-column: false
    value: 'has_row_images ? reading == reading::total : _io.size >= 2 and first_halfword == _io.size'
    doc: Whether a total stands in front
    doc-ref: *table
types:
  row_images:
    doc: One row image, or the one before and the one after an update
    doc-ref: *table
    params:
      - id: num_images
        type: u1
        doc: 2 for an update, else 1
    seq:
      - id: images
        -lm-status: documented
        type: image
        repeat: expr
        repeat-expr: num_images
        doc: The row images; of an update the before image is first, and the after image is next
        doc-ref: *table
      - id: surplus
        -lm-status: inferred
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing; a reading that leaves bytes over is the wrong one
        doc-ref: *table
  image:
    doc: One image behind its length
    doc-ref: *table
    seq:
      - id: length
        -unit: bytes
        -lm-status: documented
        -lm-source: That it counts itself in one of the readings (`inclusive`) is inferred
        type: u2
        doc: Length of the row image that follows
        doc-ref: &images 'BMC AMI Log Master for Db2, "Logical log data file", text before the table "Data change record (LLDF)", "Row image"'
      - id: row
        -lm-status: documented
        size: '_root.reading == reading::inclusive ? length - 2 : length'
        doc: Image of the row; bmc_row_image describes its columns
        doc-ref: *images
  exchange:
    doc: Names the clone table of an exchange
    doc-ref: *table
    seq:
      - id: clone_owner_len
        -unit: bytes
        -lm-status: documented
        type: u2
        doc: Length of clone table owner
        doc-ref: *table
      - id: clone_owner
        -codec: ebcdic
        -lm-status: documented
        size: clone_owner_len
        doc: Owner of clone table
        doc-ref: *table
      - id: clone_name_len
        -unit: bytes
        -lm-status: documented
        type: u2
        doc: Length of clone table name
        doc-ref: *table
      - id: clone_name
        -codec: ebcdic
        -lm-status: documented
        size: clone_name_len
        doc: Name of clone table
        doc-ref: *table
      - id: surplus
        -lm-status: inferred
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *table
  mass_delete:
    doc: |
      Nothing, or the limit key values of the partition that a LOAD REPLACE emptied. How the keys
      are delimited is not stated; that each stands behind a length, as a row image does, is
      inferred.
    doc-ref: 'BMC AMI Log Master for Db2, "Logical log data file", closing note on change type DM'
    seq:
      - id: limit_keys
        -lm-status: inferred
        type: image
        repeat: eos
        doc: The limit keys
        doc-ref: 'BMC AMI Log Master for Db2, "Logical log data file", closing note on change type DM'
  payload:
    doc: What DDL, command, status change, truncate and unlisted records hold; no page describes it
    doc-ref: *table
    seq:
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *table
enums:
  reading:
    0:
      id: total
      -lm-status: inferred
      doc: A total that counts itself, then each image behind a length that leaves itself out
    1:
      id: inclusive
      -lm-status: inferred
      doc: Each image behind a length that counts itself
    2:
      id: exclusive
      -lm-status: documented
      doc: Each image behind a length that leaves itself out
      doc-ref: *images
