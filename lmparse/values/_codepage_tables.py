"""The 256 characters of each single-byte EBCDIC code page, as data.

Source: IBM's tables (Character Data Representation Architecture), in the form in which the Unicode
consortium publishes them: repository unicode-org/icu-data, commit 14b13ee, `charset/data/ucm/`, file
`ibm-<CCSID>_P100-<year>.ucm` (420: `_X120-1999`, 16804: `_X110-1999`). Of each file the entries that
decode were taken, those marked |0 and |3. tests/vectors/codepages.json holds other sources' tables of
the same pages; codepages.py states where they disagree and why this one was followed.

A page is written as what it changes in another page: `9F=20AC` gives byte X'9F' the character
U+20AC, `9F=----` leaves it undefined.
"""

from __future__ import annotations

# USA, Canada, Netherlands, Portugal, Brazil. All characters are Latin 1, so one byte says which
CP037 = bytes.fromhex(
    """
    00 01 02 03 9C 09 86 7F 97 8D 8E 0B 0C 0D 0E 0F
    10 11 12 13 9D 85 08 87 18 19 92 8F 1C 1D 1E 1F
    80 81 82 83 84 0A 17 1B 88 89 8A 8B 8C 05 06 07
    90 91 16 93 94 95 96 04 98 99 9A 9B 14 15 9E 1A
    20 A0 E2 E4 E0 E1 E3 E5 E7 F1 A2 2E 3C 28 2B 7C
    26 E9 EA EB E8 ED EE EF EC DF 21 24 2A 29 3B AC
    2D 2F C2 C4 C0 C1 C3 C5 C7 D1 A6 2C 25 5F 3E 3F
    F8 C9 CA CB C8 CD CE CF CC 60 3A 23 40 27 3D 22
    D8 61 62 63 64 65 66 67 68 69 AB BB F0 FD FE B1
    B0 6A 6B 6C 6D 6E 6F 70 71 72 AA BA E6 B8 C6 A4
    B5 7E 73 74 75 76 77 78 79 7A A1 BF D0 DD DE AE
    5E A3 A5 B7 A9 A7 B6 BC BD BE 5B 5D AF A8 B4 D7
    7B 41 42 43 44 45 46 47 48 49 AD F4 F6 F2 F3 F5
    7D 4A 4B 4C 4D 4E 4F 50 51 52 B9 FB FC F9 FA FF
    5C F7 53 54 55 56 57 58 59 5A B2 D4 D6 D2 D3 D5
    30 31 32 33 34 35 36 37 38 39 B3 DB DC D9 DA 9F
    """
)
"""CCSID 37: byte b of the page is the character of number `CP037[b]`."""

CHANGES: dict[int, tuple[int, str]] = {
    # Germany, Austria
    273: (
        37,
        "43=007B 4A=00C4 4F=0021 59=007E 5A=00DC 5F=005E 63=005B 6A=00F6 7C=00A7 A1=00DF B0=00A2 B5=0040 BA=00AC "
        "BB=007C C0=00E4 CC=00A6 D0=00FC DC=007D E0=00D6 EC=005C FC=005D",
    ),
    # Denmark, Norway
    277: (
        37,
        "47=007D 4A=0023 4F=0021 5A=00A4 5B=00C5 5F=005E 67=0024 6A=00F8 70=00A6 7B=00C6 7C=00D8 80=0040 9C=007B "
        "9E=005B 9F=005D A1=00FC B0=00A2 BA=00AC BB=007C C0=00E6 D0=00E5 DC=007E",
    ),
    # Finland, Sweden
    278: (
        277,
        "43=007B 4A=00A7 51=0060 63=0023 6A=00F6 70=00F8 71=005C 79=00E9 7B=00C4 7C=00D6 80=00D8 9C=00E6 9E=00C6 "
        "B5=005B C0=00E4 CC=00A6 E0=00C9 EC=0040",
    ),
    # Italy
    280: (
        37,
        "44=007B 48=005C 4A=00B0 4F=0021 51=005D 54=007D 58=007E 5A=00E9 5F=005E 6A=00F2 79=00F9 7B=00A3 7C=00A7 "
        "90=005B A1=00EC B0=00A2 B1=0023 B5=0040 BA=00AC BB=007C C0=00E0 CD=00A6 D0=00E8 DD=0060 E0=00E7",
    ),
    # Spain, Latin America
    284: (37, "49=00A6 4A=005B 5A=005D 69=0023 6A=00F1 7B=00D1 A1=00A8 B0=00A2 BA=005E BB=0021 BD=007E"),
    # United Kingdom
    285: (37, "4A=0024 5B=00A3 A1=00AF B0=00A2 B1=005B BA=005E BC=007E"),
    # Japan, Katakana; single bytes of 930 and 5026
    290: (
        37,
        "41=FF61 42=FF62 43=FF63 44=FF64 45=FF65 46=FF66 47=FF67 48=FF68 49=FF69 4A=00A3 51=FF6A 52=FF6B 53=FF6C "
        "54=FF6D 55=FF6E 56=FF6F 57=---- 58=FF70 59=---- 5B=00A5 62=0061 63=0062 64=0063 65=0064 66=0065 67=0066 "
        "68=0067 69=0068 6A=---- 70=005B 71=0069 72=006A 73=006B 74=006C 75=006D 76=006E 77=006F 78=0070 80=005D "
        "81=FF71 82=FF72 83=FF73 84=FF74 85=FF75 86=FF76 87=FF77 88=FF78 89=FF79 8A=FF7A 8B=0071 8C=FF7B 8D=FF7C "
        "8E=FF7D 8F=FF7E 90=FF7F 91=FF80 92=FF81 93=FF82 94=FF83 95=FF84 96=FF85 97=FF86 98=FF87 99=FF88 9A=FF89 "
        "9B=0072 9C=---- 9D=FF8A 9E=FF8B 9F=FF8C A0=007E A1=203E A2=FF8D A3=FF8E A4=FF8F A5=FF90 A6=FF91 A7=FF92 "
        "A8=FF93 A9=FF94 AA=FF95 AB=0073 AC=FF96 AD=FF97 AE=FF98 AF=FF99 B1=00A2 B2=005C B3=0074 B4=0075 B5=0076 "
        "B6=0077 B7=0078 B8=0079 B9=007A BA=FF9A BB=FF9B BC=FF9C BD=FF9D BE=FF9E BF=FF9F CA=---- CB=---- CC=---- "
        "CD=---- CE=---- CF=---- DA=---- DB=---- DC=---- DD=---- DE=---- DF=---- E0=0024 E1=---- EA=---- EB=---- "
        "EC=---- ED=---- EE=---- EF=---- FA=---- FB=---- FC=---- FD=---- FE=----",
    ),
    # France
    297: (
        280,
        "44=0040 51=007B 58=00EC 5A=00A7 6A=00F9 79=00B5 7C=00E0 A0=0060 A1=00A8 B5=005D BD=007E C0=00E9 CD=00F2 "
        "DD=00A6",
    ),
    # Arabic
    420: (
        37,
        "42=0651 43=FE7D 44=0640 45=200B 46=0621 47=0622 48=FE82 49=0623 51=FE84 52=0624 53=---- 54=---- 55=0626 "
        "56=0627 57=FE8E 58=0628 59=FE91 62=0629 63=062A 64=FE97 65=062B 66=FE9B 67=062C 68=FE9F 69=062D 70=FEA3 "
        "71=062E 72=FEA7 73=062F 74=0630 75=0631 76=0632 77=0633 78=FEB3 79=060C 80=0634 8A=FEB7 8B=0635 8C=FEBB "
        "8D=0636 8E=FEBF 8F=0637 90=0638 9A=0639 9B=FECA 9C=FECB 9D=FECC 9E=063A 9F=FECE A0=FECF A1=00F7 AA=FED0 "
        "AB=0641 AC=FED3 AD=0642 AE=FED7 AF=0643 B0=FEDB B1=0644 B2=FEF5 B3=FEF6 B4=FEF7 B5=FEF8 B6=---- B7=---- "
        "B8=FEFB B9=FEFC BA=FEDF BB=0645 BC=FEE3 BD=0646 BE=FEE7 BF=0647 C0=061B CB=FEEB CC=---- CD=FEEC CE=---- "
        "CF=0648 D0=061F DA=0649 DB=FEF0 DC=064A DD=FEF2 DE=FEF3 DF=0660 E0=00D7 E1=---- EA=0661 EB=0662 EC=---- "
        "ED=0663 EE=0664 EF=0665 FA=---- FB=0666 FC=0667 FD=0668 FE=0669",
    ),
    # Hebrew
    424: (
        37,
        "41=05D0 42=05D1 43=05D2 44=05D3 45=05D4 46=05D5 47=05D6 48=05D7 49=05D8 51=05D9 52=05DA 53=05DB 54=05DC "
        "55=05DD 56=05DE 57=05DF 58=05E0 59=05E1 62=05E2 63=05E3 64=05E4 65=05E5 66=05E6 67=05E7 68=05E8 69=05E9 "
        "70=---- 71=05EA 72=---- 73=---- 74=00A0 75=---- 76=---- 77=---- 78=2017 80=---- 8C=---- 8D=---- 8E=---- "
        "9A=---- 9B=---- 9C=---- 9E=---- AA=---- AB=---- AC=---- AD=---- AE=---- B3=2022 BC=203E CB=---- CC=---- "
        "CD=---- CE=---- CF=---- DB=---- DC=---- DD=---- DE=---- DF=---- EB=---- EC=---- ED=---- EE=---- EF=---- "
        "FB=---- FC=---- FD=---- FE=----",
    ),
    # International, Latin 1
    500: (37, "4A=005B 4F=0021 5A=005D 5F=005E B0=00A2 BA=00AC BB=007C"),
    # Korea; single bytes of 933
    833: (
        37,
        "41=---- 42=FFA0 43=FFA1 44=FFA2 45=FFA3 46=FFA4 47=FFA5 48=FFA6 49=FFA7 51=---- 52=FFA8 53=FFA9 54=FFAA "
        "55=FFAB 56=FFAC 57=FFAD 58=FFAE 59=FFAF 62=FFB0 63=FFB1 64=FFB2 65=FFB3 66=FFB4 67=FFB5 68=FFB6 69=FFB7 "
        "70=005B 71=---- 72=FFB8 73=FFB9 74=FFBA 75=FFBB 76=FFBC 77=FFBD 78=FFBE 80=005D 8A=FFC2 8B=FFC3 8C=FFC4 "
        "8D=FFC5 8E=FFC6 8F=FFC7 90=---- 9A=FFCA 9B=FFCB 9C=FFCC 9D=FFCD 9E=FFCE 9F=FFCF A0=203E AA=FFD2 AB=FFD3 "
        "AC=FFD4 AD=FFD5 AE=FFD6 AF=FFD7 B1=---- B2=005C B3=---- B4=---- B5=---- B6=---- B7=---- B8=---- B9=---- "
        "BA=FFDA BB=FFDB BC=FFDC BD=---- BE=---- BF=---- CA=---- CB=---- CC=---- CD=---- CE=---- CF=---- DA=---- "
        "DB=---- DC=---- DD=---- DE=---- DF=---- E0=20A9 E1=---- EA=---- EB=---- EC=---- ED=---- EE=---- EF=---- "
        "FA=---- FB=---- FC=---- FD=---- FE=----",
    ),
    # China, simplified; single bytes of 935
    836: (
        37,
        "41=---- 42=---- 43=---- 44=---- 45=---- 46=---- 47=---- 48=---- 49=---- 4A=00A3 51=---- 52=---- 53=---- "
        "54=---- 55=---- 56=---- 57=---- 58=---- 59=---- 5B=00A5 62=---- 63=---- 64=---- 65=---- 66=---- 67=---- "
        "68=---- 69=---- 70=---- 71=---- 72=---- 73=---- 74=---- 75=---- 76=---- 77=---- 78=---- 80=---- 8A=---- "
        "8B=---- 8C=---- 8D=---- 8E=---- 8F=---- 90=---- 9A=---- 9B=---- 9C=---- 9D=---- 9E=---- 9F=---- A0=007E "
        "A1=203E AA=---- AB=---- AC=---- AD=---- AE=---- AF=---- B1=---- B2=005C B3=---- B4=---- B5=---- B6=---- "
        "B7=---- B8=---- B9=---- BC=---- BD=---- BE=---- BF=---- CA=---- CB=---- CC=---- CD=---- CE=---- CF=---- "
        "DA=---- DB=---- DC=---- DD=---- DE=---- DF=---- E0=0024 E1=---- EA=---- EB=---- EC=---- ED=---- EE=---- "
        "EF=---- FA=---- FB=---- FC=---- FD=---- FE=----",
    ),
    # Thailand
    838: (
        37,
        "42=0E01 43=0E02 44=0E03 45=0E04 46=0E05 47=0E06 48=0E07 49=005B 51=0E48 52=0E08 53=0E09 54=0E0A 55=0E0B "
        "56=0E0C 57=0E0D 58=0E0E 59=005D 62=0E0F 63=0E10 64=0E11 65=0E12 66=0E13 67=0E14 68=0E15 69=005E 70=0E3F "
        "71=0E4E 72=0E16 73=0E17 74=0E18 75=0E19 76=0E1A 77=0E1B 78=0E1C 80=0E4F 8A=0E1D 8B=0E1E 8C=0E1F 8D=0E20 "
        "8E=0E21 8F=0E22 90=0E5A 9A=0E23 9B=0E24 9C=0E25 9D=0E26 9E=0E27 9F=0E28 A0=0E5B AA=0E29 AB=0E2A AC=0E2B "
        "AD=0E2C AE=0E2D AF=0E2E B0=0E50 B1=0E51 B2=0E52 B3=0E53 B4=0E54 B5=0E55 B6=0E56 B7=0E57 B8=0E58 B9=0E59 "
        "BA=0E2F BB=0E30 BC=0E31 BD=0E32 BE=0E33 BF=0E34 CA=0E49 CB=0E35 CC=0E36 CD=0E37 CE=0E38 CF=0E39 DA=0E3A "
        "DB=0E40 DC=0E41 DD=0E42 DE=0E43 DF=0E44 E1=0E4A EA=0E45 EB=0E46 EC=0E47 ED=0E48 EE=0E49 EF=0E4A FA=0E4B "
        "FB=0E4C FC=0E4D FD=0E4B FE=0E4C",
    ),
    # Latin 2
    870: (
        37,
        "44=0163 46=0103 47=010D 49=0107 4A=005B 4F=0021 52=0119 54=016F 57=013E 58=013A 5A=005D 5F=005E 64=02DD "
        "66=0102 67=010C 69=0106 6A=007C 70=02C7 72=0118 74=016E 77=013D 78=0139 80=02D8 8A=015B 8B=0148 8C=0111 "
        "8E=0159 8F=015F 9A=0142 9B=0144 9C=0161 9E=02DB A0=0105 AA=015A AB=0147 AC=0110 AE=0158 AF=015E B0=02D9 "
        "B1=0104 B2=017C B3=0162 B4=017B B6=017E B7=017A B8=017D B9=0179 BA=0141 BB=0143 BC=0160 CD=0155 CF=0151 "
        "DA=011A DB=0171 DD=0165 DF=011B EA=010F ED=0154 EF=0150 FA=010E FB=0170 FD=0164",
    ),
    # Iceland
    871: (
        500,
        "4A=00DE 5A=00C6 5F=00D6 79=00F0 7C=00D0 8C=0060 8E=007B 9C=007D 9E=005D A1=00F6 AC=0040 AE=005B BE=005C "
        "C0=00FE CC=007E D0=00E6 E0=00B4 EC=005E",
    ),
    # Greece
    875: (
        37,
        "41=0391 42=0392 43=0393 44=0394 45=0395 46=0396 47=0397 48=0398 49=0399 4A=005B 4F=0021 51=039A 52=039B "
        "53=039C 54=039D 55=039E 56=039F 57=03A0 58=03A1 59=03A3 5A=005D 5F=005E 62=03A4 63=03A5 64=03A6 65=03A7 "
        "66=03A8 67=03A9 68=03AA 69=03AB 6A=007C 70=00A8 71=0386 72=0388 73=0389 74=00A0 75=038A 76=038C 77=038E "
        "78=038F 80=0385 8A=03B1 8B=03B2 8C=03B3 8D=03B4 8E=03B5 8F=03B6 9A=03B7 9B=03B8 9C=03B9 9D=03BA 9E=03BB "
        "9F=03BC A0=00B4 AA=03BD AB=03BE AC=03BF AD=03C0 AE=03C1 AF=03C3 B0=00A3 B1=03AC B2=03AD B3=03AE B4=03CA "
        "B5=03AF B6=03CC B7=03CD B8=03CB B9=03CE BA=03C2 BB=03C4 BC=03C5 BD=03C6 BE=03C7 BF=03C8 CB=03C9 CC=0390 "
        "CD=03B0 CE=2018 CF=2015 DA=00B1 DB=00BD DC=---- DD=0387 DE=2019 DF=00A6 E1=---- EB=00A7 EC=---- ED=---- "
        "EE=00AB EF=00AC FB=00A9 FC=---- FD=---- FE=00BB",
    ),
    # Cyrillic
    1025: (
        37,
        "42=0452 43=0453 44=0451 45=0454 46=0455 47=0456 48=0457 49=0458 4A=005B 4F=0021 51=0459 52=045A 53=045B "
        "54=045C 55=045E 56=045F 57=042A 58=2116 59=0402 5A=005D 5F=005E 62=0403 63=0401 64=0404 65=0405 66=0406 "
        "67=0407 68=0408 69=0409 6A=007C 70=040A 71=040B 72=040C 73=00AD 74=040E 75=040F 76=044E 77=0430 78=0431 "
        "80=0446 8A=0434 8B=0435 8C=0444 8D=0433 8E=0445 8F=0438 90=0439 9A=043A 9B=043B 9C=043C 9D=043D 9E=043E "
        "9F=043F A0=044F AA=0440 AB=0441 AC=0442 AD=0443 AE=0436 AF=0432 B0=044C B1=044B B2=0437 B3=0448 B4=044D "
        "B5=0449 B6=0447 B7=044A B8=042E B9=0410 BA=0411 BB=0426 BC=0414 BD=0415 BE=0424 BF=0413 CA=0425 CB=0418 "
        "CC=0419 CD=041A CE=041B CF=041C DA=041D DB=041E DC=041F DD=042F DE=0420 DF=0421 E1=00A7 EA=0422 EB=0423 "
        "EC=0416 ED=0412 EE=042C EF=042B FA=0417 FB=0428 FC=042D FD=0429 FE=0427",
    ),
    # Turkey
    1026: (
        500,
        "48=007B 4A=00C7 5A=011E 5B=0130 68=005B 6A=015F 79=0131 7B=00D6 7C=015E 7F=00DC 8C=007D 8D=0060 8E=00A6 "
        "9A=20BA A1=00F6 AC=005D AD=0024 AE=0040 C0=00E7 CC=007E D0=011F DC=005C E0=00FC EC=0023 FC=0022",
    ),
    # Japan, Latin; single bytes of 939 and 5035
    1027: (
        290,
        "41=---- 42=FF61 43=FF62 44=FF63 45=FF64 46=FF65 47=FF66 48=FF67 49=FF68 4A=00A2 51=FF69 52=FF6A 53=FF6B "
        "54=FF6C 55=FF6D 56=FF6E 57=FF6F 59=FF71 5B=0024 62=FF72 63=FF73 64=FF74 65=FF75 66=FF76 67=FF77 68=FF78 "
        "69=FF79 70=FF7A 71=FF7B 72=FF7C 73=FF7D 74=FF7E 75=FF7F 76=FF80 77=FF81 78=FF82 80=---- 81=0061 82=0062 "
        "83=0063 84=0064 85=0065 86=0066 87=0067 88=0068 89=0069 8A=FF83 8B=FF84 8C=FF85 8D=FF86 8E=FF87 8F=FF88 "
        "90=---- 91=006A 92=006B 93=006C 94=006D 95=006E 96=006F 97=0070 98=0071 99=0072 9B=FF8A 9C=FF8B 9D=FF8C "
        "9E=FF8D 9F=FF8E A0=203E A1=007E A2=0073 A3=0074 A4=0075 A5=0076 A6=0077 A7=0078 A8=0079 A9=007A AA=FF8F "
        "AB=FF90 AC=FF91 AD=005B AE=FF92 AF=FF93 B1=00A3 B2=00A5 B3=FF94 B4=FF95 B5=FF96 B6=FF97 B7=FF98 B8=FF99 "
        "B9=FF9A BA=FF9B BB=FF9C BC=FF9D BD=005D E0=005C",
    ),
    # Latin 1, open systems
    1047: (37, "5F=005E AD=005B B0=00AC BA=00DD BB=00A8 BD=005D"),
    # Baltic
    1112: (
        37,
        "42=0161 44=0105 45=012F 46=016B 48=0113 49=017E 52=0119 53=0117 54=010D 55=0173 56=201E 57=201C 58=0123 "
        "62=0160 64=0104 65=012E 66=016A 68=0112 69=017D 72=0118 73=0116 74=010C 75=0172 76=012A 77=013B 78=0122 "
        "8C=0101 8D=017C 8E=0144 9A=0156 9B=0157 9D=0137 AA=201D AB=017A AC=0100 AD=017B AE=0143 B2=012B BC=0179 "
        "BD=0136 BE=013C CB=014D CD=0146 DB=0107 DD=0142 DE=015B DF=2019 EB=014C ED=0145 FB=0106 FD=0141 FE=015A",
    ),
    # Estonia
    1122: (278, "8C=0161 8E=017E AC=0160 AE=017D"),
    # Ukraine
    1123: (1025, "43=0491 62=0490"),
    # Vietnam
    1130: (
        37,
        "46=0103 4A=005B 4F=0021 58=0303 5A=005D 5F=005E 66=0102 78=20AB 8C=0111 8D=0309 8E=0300 9D=0152 AC=0110 "
        "AD=0323 AE=0301 B0=00A2 BA=00AC BB=007C BD=0153 BE=0178 CD=01B0 CF=01A1 ED=01AF EF=01A0",
    ),
    # 037 with euro
    1140: (37, "9F=20AC"),
    # 273 with euro
    1141: (273, "9F=20AC"),
    # 277 with euro
    1142: (277, "5A=20AC"),
    # 278 with euro
    1143: (278, "5A=20AC"),
    # 280 with euro
    1144: (280, "9F=20AC"),
    # 284 with euro
    1145: (284, "9F=20AC"),
    # 285 with euro
    1146: (285, "9F=20AC"),
    # 297 with euro
    1147: (297, "9F=20AC"),
    # 500 with euro
    1148: (500, "9F=20AC"),
    # 871 with euro
    1149: (871, "9F=20AC"),
    # 870 with euro
    1153: (870, "9F=20AC"),
    # 1025 with euro
    1154: (1025, "E1=20AC"),
    # 1026 with euro
    1155: (1026, "9F=20AC"),
    # 1112 with euro
    1156: (1112, "9F=20AC"),
    # 1122 with euro
    1157: (1122, "5A=20AC"),
    # 1123 with euro
    1158: (1123, "E1=20AC"),
    # 28709 with euro; single bytes of 1371
    1159: (28709, "9F=20AC"),
    # 838 with euro
    1160: (838, "FE=20AC"),
    # 1130 with euro
    1164: (1130, "9F=20AC"),
    # 875 with euro
    4971: (875, "FC=20AC"),
    # 1027 with euro; single bytes of 1399
    5123: (1027, "E1=20AC"),
    # 290 with euro; single bytes of 1390
    8482: (290, "E1=20AC"),
    # 424 with euro, sheqel and direction marks
    12712: (424, "9C=20AC 9E=20AA DB=202D DC=202E DD=202C FB=202A FC=202B FD=200E FE=200F"),
    # as 833; single bytes of 1364
    13121: (833, ""),
    # as 836; single bytes of 1388
    13124: (836, ""),
    # 420 with euro
    16804: (420, "E1=2007 FA=20AC"),
    # China, traditional; single bytes of 937
    28709: (
        37,
        "41=---- 42=---- 43=---- 44=---- 45=---- 46=---- 47=---- 48=---- 49=---- 51=---- 52=---- 53=---- 54=---- "
        "55=---- 56=---- 57=---- 58=---- 59=---- 62=---- 63=---- 64=---- 65=---- 66=---- 67=---- 68=---- 69=---- "
        "70=---- 71=---- 72=---- 73=---- 74=---- 75=---- 76=---- 77=---- 78=---- 80=---- 8A=---- 8B=---- 8C=---- "
        "8D=---- 8E=---- 8F=---- 90=---- 9A=---- 9B=---- 9C=---- 9D=---- 9E=---- 9F=---- A0=---- AA=---- AB=---- "
        "AC=---- AD=---- AE=---- AF=---- B1=---- B2=---- B3=---- B4=---- B5=---- B6=---- B7=---- B8=---- B9=---- "
        "BC=---- BD=---- BE=---- BF=---- CA=---- CB=---- CC=---- CD=---- CE=---- CF=---- DA=---- DB=---- DC=---- "
        "DD=---- DE=---- DF=---- E1=---- EA=---- EB=---- EC=---- ED=---- EE=---- EF=---- FA=---- FB=---- FC=---- "
        "FD=---- FE=----",
    ),
}
"""By CCSID: the CCSID it is derived from, and the bytes that differ from it."""
