"""The 256 characters of each single-byte EBCDIC code page, as data.

Source: IBM's tables (Character Data Representation Architecture), in the form in which the Unicode
consortium publishes them: repository unicode-org/icu-data, commit 14b13ee, `charset/data/ucm/`, file
`ibm-<CCSID>_P100-<year>.ucm` (420: `_X120-1999`, 16804: `_X110-1999`). Of each file the entries that
decode were taken, those marked |0 and |3. tests/vectors/codepages.json holds other sources' tables of
the same pages; codepages.py states where they disagree and why this one was followed.

A page is written as what it changes in another page, or in a codec of Python: `9F=20AC` gives byte X'9F' the character
U+20AC, `41-49=05D0` gives the bytes X'41' to X'49' this character and those that follow, `9F=----` leaves bytes
undefined.
"""

from __future__ import annotations

CHANGES: dict[int, tuple[int | str, str]] = {
    37: ("cp037", ""),  # USA, Canada, Netherlands, Portugal, Brazil
    273: ("cp273", "BC=00AF"),  # Germany, Austria
    # Denmark, Norway
    277: (
        1148,
        "47=007D 4A=0023 5A=00A4 5B=00C5 67=0024 6A=00F8 70=00A6 7B=00C6 7C=00D8 80=0040 9C=007B 9E=005B 9F=005D "
        "A1=00FC C0=00E6 D0=00E5 DC=007E",
    ),
    278: (1143, "5A=00A4"),  # Finland, Sweden
    280: (1144, "9F=00A4"),  # Italy
    284: (1145, "9F=00A4"),  # Spain, Latin America
    285: (1146, "9F=00A4"),  # United Kingdom
    # Japan, Katakana; single bytes of 930 and 5026
    290: (
        13124,
        "41-49=FF61 51-56=FF6A 58=FF70 62-69=0061 6A=---- 70=005B 71-78=0069 80=005D 81-8A=FF71 8B=0071 8C-9A=FF7B "
        "9B=0072 9D-9F=FF8A A2-AA=FF8D AB=0073 AC-AF=FF96 B1=00A2 B3-B9=0074 BA-BF=FF9A",
    ),
    297: (1147, "9F=00A4"),  # France
    # Arabic
    420: (
        1159,
        "41=00A0 42=0651 43=FE7D 44=0640 45=200B 46-47=0621 48=FE82 49=0623 51=FE84 52=0624 55-56=0626 57=FE8E "
        "58=0628 59=FE91 62-63=0629 64=FE97 65=062B 66=FE9B 67=062C 68=FE9F 69=062D 70=FEA3 71=062E 72=FEA7 "
        "73-77=062F 78=FEB3 79=060C 80=0634 8A=FEB7 8B=0635 8C=FEBB 8D=0636 8E=FEBF 8F-90=0637 9A=0639 9B-9D=FECA "
        "9E=063A 9F-A0=FECE A1=00F7 AA=FED0 AB=0641 AC=FED3 AD=0642 AE=FED7 AF=0643 B0=FEDB B1=0644 B2-B5=FEF5 "
        "B8-B9=FEFB BA=FEDF BB=0645 BC=FEE3 BD=0646 BE=FEE7 BF=0647 C0=061B CA=00AD CB=FEEB CD=FEEC CF=0648 D0=061F "
        "DA=0649 DB=FEF0 DC=064A DD-DE=FEF2 DF=0660 E0=00D7 EA-EB=0661 ED-EF=0663 FB-FE=0666",
    ),
    424: ("cp424", "B3=2022 BC=203E"),  # Hebrew
    500: ("cp500", ""),  # International, Latin 1
    # Korea; single bytes of 933
    833: (
        1159,
        "42-49=FFA0 52-59=FFA8 62-69=FFB0 70=005B 72-78=FFB8 80=005D 8A-8F=FFC2 9A-9F=FFCA A0=203E AA-AF=FFD2 B2=005C "
        "BA-BC=FFDA E0=20A9",
    ),
    836: (28709, "4A=00A3 5B=00A5 A0=007E A1=203E B2=005C E0=0024"),  # China, simplified; single bytes of 935
    # Thailand
    838: (
        1140,
        "42-48=0E01 49=005B 51=0E48 52-58=0E08 59=005D 62-68=0E0F 69=005E 70=0E3F 71=0E4E 72-78=0E16 80=0E4F "
        "8A-8F=0E1D 90=0E5A 9A-9F=0E23 A0=0E5B AA-AF=0E29 B0-B9=0E50 BA-BF=0E2F CA=0E49 CB-CF=0E35 DA=0E3A DB-DF=0E40 "
        "E1=0E4A EA-EF=0E45 FA-FC=0E4B FD-FE=0E4B",
    ),
    870: (1153, "9F=00A4"),  # Latin 2
    871: (1149, "9F=00A4"),  # Iceland
    875: ("cp875", "DC=---- E1=---- EC-ED=---- FC-FD=----"),  # Greece
    # Cyrillic
    1025: (
        1153,
        "42-43=0452 44=0451 45-49=0454 51-54=0459 55-56=045E 57=042A 58=2116 59=0402 62=0403 63=0401 64-69=0404 "
        "70-72=040A 73=00AD 74-75=040E 76=044E 77-78=0430 80=0446 8A-8B=0434 8C=0444 8D=0433 8E=0445 8F-90=0438 "
        "9A-9F=043A A0=044F AA-AD=0440 AE=0436 AF=0432 B0=044C B1=044B B2=0437 B3=0448 B4=044D B5=0449 B6=0447 "
        "B7=044A B8=042E B9-BA=0410 BB=0426 BC-BD=0414 BE=0424 BF=0413 CA=0425 CB-CF=0418 DA-DC=041D DD=042F "
        "DE-DF=0420 E1=00A7 EA-EB=0422 EC=0416 ED=0412 EE=042C EF=042B FA=0417 FB=0428 FC=042D FD=0429 FE=0427",
    ),
    1026: ("cp1026", "9A=20BA"),  # Turkey
    # Japan, Latin; single bytes of 939 and 5035
    1027: (
        1159,
        "42-49=FF61 51-59=FF69 62-69=FF72 6A=---- 70-78=FF7A 8A-8F=FF83 9A-9F=FF89 A0=203E AA-AC=FF8F AD=005B "
        "AE-AF=FF92 B1=00A3 B2=00A5 B3-BC=FF94 BD=005D BE-BF=FF9E",
    ),
    1047: ("cp037", "5F=005E AD=005B B0=00AC BA=00DD BB=00A8 BD=005D"),  # Latin 1, open systems
    1112: (1156, "9F=00A4"),  # Baltic
    1122: (1157, "5A=00A4"),  # Estonia
    1123: (1025, "43=0491 62=0490"),  # Ukraine
    1130: (1164, "9F=00A4"),  # Vietnam
    1140: ("cp1140", ""),  # 037 with euro
    1141: (273, "9F=20AC"),  # 273 with euro
    1142: (277, "5A=20AC"),  # 277 with euro
    # 278 with euro
    1143: (
        1142,
        "43=007B 4A=00A7 51=0060 63=0023 6A=00F6 70=00F8 71=005C 79=00E9 7B=00C4 7C=00D6 80=00D8 9C=00E6 9E=00C6 "
        "B5=005B C0=00E4 CC=00A6 E0=00C9 EC=0040",
    ),
    # 280 with euro
    1144: (
        1148,
        "44=007B 48=005C 4A=00B0 51=005D 54=007D 58=007E 5A=00E9 6A=00F2 79=00F9 7B=00A3 7C=00A7 90=005B A1=00EC "
        "B1=0023 B5=0040 C0=00E0 CD=00A6 D0=00E8 DD=0060 E0=00E7",
    ),
    1145: (1148, "49=00A6 4F=007C 5F=00AC 69=0023 6A=00F1 7B=00D1 A1=00A8 BA=005E BB=0021 BD=007E"),  # 284 with euro
    1146: (1140, "4A=0024 5B=00A3 A1=00AF B0=00A2 B1=005B BA=005E BC=007E"),  # 285 with euro
    # 297 with euro
    1147: (
        1144,
        "44=0040 51=007B 58=00EC 5A=00A7 6A=00F9 79=00B5 7C=00E0 A0=0060 A1=00A8 B5=005D BD=007E C0=00E9 CD=00F2 "
        "DD=00A6",
    ),
    1148: (500, "9F=20AC"),  # 500 with euro
    # 871 with euro
    1149: (
        1148,
        "4A=00DE 5A=00C6 5F=00D6 79=00F0 7C=00D0 8C=0060 8E=007B 9C=007D 9E=005D A1=00F6 AC=0040 AE=005B BE=005C "
        "C0=00FE CC=007E D0=00E6 E0=00B4 EC=005E",
    ),
    # 870 with euro
    1153: (
        1148,
        "44=0163 46=0103 47=010D 49=0107 52=0119 54=016F 57=013E 58=013A 64=02DD 66=0102 67=010C 69=0106 6A=007C "
        "70=02C7 72=0118 74=016E 77=013D 78=0139 80=02D8 8A=015B 8B=0148 8C=0111 8E=0159 8F=015F 9A=0142 9B=0144 "
        "9C=0161 9E=02DB A0=0105 AA=015A AB=0147 AC=0110 AE=0158 AF=015E B0=02D9 B1=0104 B2=017C B3=0162 B4=017B "
        "B6=017E B7=017A B8=017D B9=0179 BA=0141 BB=0143 BC=0160 CD=0155 CF=0151 DA=011A DB=0171 DD=0165 DF=011B "
        "EA=010F ED=0154 EF=0150 FA=010E FB=0170 FD=0164",
    ),
    1154: (1025, "E1=20AC"),  # 1025 with euro
    1155: (1026, "9F=20AC"),  # 1026 with euro
    # 1112 with euro
    1156: (
        1140,
        "42=0161 44=0105 45=012F 46=016B 48=0113 49=017E 52=0119 53=0117 54=010D 55=0173 56=201E 57=201C 58=0123 "
        "62=0160 64=0104 65=012E 66=016A 68=0112 69=017D 72=0118 73=0116 74=010C 75=0172 76=012A 77=013B 78=0122 "
        "8C=0101 8D=017C 8E=0144 9A-9B=0156 9D=0137 AA=201D AB=017A AC=0100 AD=017B AE=0143 B2=012B BC=0179 BD=0136 "
        "BE=013C CB=014D CD=0146 DB=0107 DD=0142 DE=015B DF=2019 EB=014C ED=0145 FB=0106 FD=0141 FE=015A",
    ),
    1157: (1143, "8C=0161 8E=017E AC=0160 AE=017D"),  # 1122 with euro
    1158: (1123, "E1=20AC"),  # 1123 with euro
    1159: (28709, "9F=20AC"),  # 28709 with euro; single bytes of 1371
    1160: (838, "FE=20AC"),  # 838 with euro
    # 1130 with euro
    1164: (
        1148,
        "46=0103 58=0303 66=0102 78=20AB 8C=0111 8D=0309 8E=0300 9D=0152 AC=0110 AD=0323 AE=0301 BD=0153 BE=0178 "
        "CD=01B0 CF=01A1 ED=01AF EF=01A0",
    ),
    4971: (875, "FC=20AC"),  # 875 with euro
    5123: (1027, "E1=20AC"),  # 1027 with euro; single bytes of 1399
    8482: (290, "E1=20AC"),  # 290 with euro; single bytes of 1390
    # 424 with euro, sheqel and direction marks
    12712: (424, "9C=20AC 9E=20AA DB-DC=202D DD=202C FB-FC=202A FD-FE=200E"),
    13121: (833, ""),  # as 833; single bytes of 1364
    13124: (836, ""),  # as 836; single bytes of 1388
    16804: (420, "E1=2007 FA=20AC"),  # 420 with euro
    # China, traditional; single bytes of 937
    28709: (
        1140,
        "41-49=---- 51-59=---- 62-69=---- 70-78=---- 80=---- 8A-90=---- 9A-A0=---- AA-AF=---- B1-B9=---- BC-BF=---- "
        "CA-CF=---- DA-DF=---- E1=---- EA-EF=---- FA-FE=----",
    ),
}
"""By CCSID: the page or codec that a page is written in, and what it changes there."""
