import io

import numpy as np
from PIL import Image

from earthexam.render.sheet import DROPPED, Thumbnail, contact_sheet

REASON = "25.1% of the pixels outlying, allowed 10%"


def thumbnails(count, note="53% labelled", dropped=False):
    pixels = np.full((4, 4, 3), 128, np.uint8)
    return [Thumbnail(pixels, f"block-{n:03d}", note, dropped) for n in range(count)]


def opened(sheet):
    return np.asarray(Image.open(io.BytesIO(sheet.png)).convert("RGB"))


def test_the_reason_for_dropping_a_block_stays_under_its_picture():
    alone = opened(contact_sheet(thumbnails(1, REASON, dropped=True)))
    coloured = (alone == np.array(tuple(bytes.fromhex(DROPPED[1:])))).all(axis=2)
    cols = np.nonzero(coloured.any(axis=0))[0]
    assert cols.max() < 8 + 160 + 8  # the gap
    assert coloured[8 + 160 :].any()


def test_sheets_of_many_blocks_are_about_square_and_stay_openable():
    hundreds = contact_sheet(thumbnails(300))
    assert 0.6 < hundreds.width / hundreds.height < 1.7
    thousands = contact_sheet(thumbnails(9000))
    assert thousands.width * thousands.height < 60_000_000
