#!/usr/bin/env python3
"""Makes the fonts of this folder from their upstream releases.

On Debian 12, in an empty folder:

    apt-get download fonts-noto-core fonts-noto-cjk fonts-unifont
    for package in *.deb; do dpkg-deb -x "$package" upstream; done
    pip install fonttools==4.68.0
    python3 subset.py upstream .

Each result gets a name of its own: a subset is a modified version, and the names of the originals
stay with the originals.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FONTS = Path("usr/share/fonts")
NOTO = FONTS / "truetype/noto"
CJK = FONTS / "opentype/noto"
UNIFONT = FONTS / "opentype/unifont"

# The place of Simplified Chinese in the collection.
SIMPLIFIED_CHINESE = 2


def blocks(*ranges):
    return {code for first, last in ranges for code in range(first, last + 1)}


def codes(charset, leads, trails):
    """The characters of a double-byte character set."""
    found = set()
    for lead in leads:
        for trail in trails:
            try:
                found.add(ord(bytes([lead, trail]).decode(charset)))
            except UnicodeDecodeError:
                pass
    return found


EUC = range(0xA1, 0xFF)
# GB/T 2312-1980: 3,755 characters by frequency, then 3,008 rarer ones.
GB2312_LEVEL_1 = codes("gb2312", range(0xB0, 0xD8), EUC)
GB2312_LEVEL_2 = codes("gb2312", range(0xD8, 0xF8), EUC)
GB2312_SYMBOLS = codes("gb2312", range(0xA1, 0xA4), EUC)
# The frequent characters of Taiwan and Hong Kong.
BIG5_LEVEL_1 = codes("big5", range(0xA4, 0xC7), [*range(0x40, 0x7F), *EUC])

WESTERN = blocks(
    (0x0020, 0x007E),  # Basic Latin
    (0x00A0, 0x024F),  # Latin-1 to Latin Extended-B
    (0x02B0, 0x036F),  # modifiers and combining marks
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x052F),  # Cyrillic
    (0x1E00, 0x1EFF),  # Latin Extended Additional: Vietnamese
    (0x2000, 0x206F),  # punctuation
    (0x2070, 0x209F),  # superscripts and subscripts
    (0x20A0, 0x20C0),  # currencies
    (0x2100, 0x214F),  # letterlike symbols
    (0x2200, 0x22FF),  # mathematical operators
    (0xFFFD, 0xFFFD),
)
ARABIC = blocks(
    (0x0020, 0x0020),
    (0x0600, 0x06FF),  # Arabic, with Persian and Urdu
    (0x200C, 0x200F),  # joiners and direction marks
)
HEBREW = blocks((0x0020, 0x0020), (0x0590, 0x05FF), (0x200C, 0x200F), (0x20AA, 0x20AA), (0x25CC, 0x25CC))
CHINESE = (
    GB2312_LEVEL_1
    | GB2312_SYMBOLS
    | blocks((0x3000, 0x301F), (0x3041, 0x30FF), (0xFF01, 0xFF5E), (0xFFE0, 0xFFE6))
) - blocks((0x0000, 0x2E7F))
PIXEL = (
    GB2312_LEVEL_1
    | GB2312_LEVEL_2
    | GB2312_SYMBOLS
    | BIG5_LEVEL_1
    | blocks(
        (0x2000, 0x206F),
        (0x2100, 0x27BF),  # letterlike symbols, arrows, boxes, shapes, dingbats
        (0x2900, 0x2BFF),
        (0x3000, 0x30FF),  # punctuation and kana
        (0xFF01, 0xFF60),
        (0xFFE0, 0xFFE6),
    )
)
# Pictographs beyond the basic plane. Skin tones, flags and joined families are not among them.
PICTURES = blocks(
    (0x1F300, 0x1F3FA), (0x1F400, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F900, 0x1F9FF)
)

# file, family, weight class, source, number in a collection, characters, layout features
RESULTS = [
    ("sans-regular.ttf", "Regie Sans", 400, NOTO / "NotoSans-Regular.ttf", -1, WESTERN, ["*"]),
    ("sans-bold.ttf", "Regie Sans", 700, NOTO / "NotoSans-Bold.ttf", -1, WESTERN, ["*"]),
    ("serif-regular.ttf", "Regie Serif", 400, NOTO / "NotoSerif-Regular.ttf", -1, WESTERN, ["*"]),
    ("arabic-regular.ttf", "Regie Arabic", 400, NOTO / "NotoSansArabic-Regular.ttf", -1, ARABIC, ["*"]),
    ("arabic-bold.ttf", "Regie Arabic", 700, NOTO / "NotoSansArabic-Bold.ttf", -1, ARABIC, ["*"]),
    ("hebrew-regular.ttf", "Regie Hebrew", 400, NOTO / "NotoSansHebrew-Regular.ttf", -1, HEBREW, ["*"]),
    ("hebrew-bold.ttf", "Regie Hebrew", 700, NOTO / "NotoSansHebrew-Bold.ttf", -1, HEBREW, ["*"]),
    ("han-regular.otf", "Regie Han", 400, CJK / "NotoSansCJK-Regular.ttc", SIMPLIFIED_CHINESE, CHINESE, []),
    ("han-bold.otf", "Regie Han", 700, CJK / "NotoSansCJK-Bold.ttc", SIMPLIFIED_CHINESE, CHINESE, []),
    ("pixel.otf", "Regie Pixel", 400, UNIFONT / "unifont.otf", -1, PIXEL, []),
    ("pixel-pictures.otf", "Regie Pictures", 400, UNIFONT / "unifont_upper.otf", -1, PICTURES, []),
]

COPYRIGHT, FAMILY, STYLE, UNIQUE, FULL, VERSION, POSTSCRIPT, LICENCE, LICENCE_URL = 0, 1, 2, 3, 4, 5, 6, 13, 14


def rename(font, family, weight):
    style = "Bold" if weight >= 600 else "Regular"
    names = font["name"]
    kept = {key: names.getDebugName(key) for key in (COPYRIGHT, VERSION)}
    names.names = []
    flat = family.replace(" ", "")
    texts = {
        COPYRIGHT: kept[COPYRIGHT],
        FAMILY: family,
        STYLE: style,
        UNIQUE: f"{flat}-{style}",
        FULL: f"{family} {style}",
        VERSION: kept[VERSION],
        POSTSCRIPT: f"{flat}-{style}",
        LICENCE: "SIL Open Font License, Version 1.1",
        LICENCE_URL: "https://openfontlicense.org",
    }
    for key, text in texts.items():
        names.setName(text, key, 3, 1, 0x409)
    font["OS/2"].usWeightClass = weight
    if "CFF " in font:
        table = font["CFF "].cff
        table.fontNames = [f"{flat}-{style}"]
        top = table[0]
        for key in ("FullName", "FamilyName", "Notice", "Copyright", "version"):
            top.rawDict.pop(key, None)
            if hasattr(top, key):
                delattr(top, key)


def main(upstream, target):
    for file, family, weight, source, number, characters, features in RESULTS:
        options = subset.Options()
        options.font_number = number
        options.layout_features = features
        options.hinting = True
        options.notdef_outline = True
        options.recommended_glyphs = False
        options.drop_tables += ["BASE", "VORG", "vhea", "vmtx", "DSIG", "meta", "STAT", "GDEF"] if not features else ["DSIG", "STAT"]
        font = subset.load_font(str(upstream / source), options)
        worker = subset.Subsetter(options)
        worker.populate(unicodes=characters)
        worker.subset(font)
        rename(font, family, weight)
        # The same bytes whenever it is run.
        font["head"].modified = font["head"].created
        font.recalcTimestamp = False
        path = target / file
        font.save(path)
        print(f"{path.stat().st_size:9,} {len(font.getBestCmap()):6,} characters  {file}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
