#!/usr/bin/env python3
"""shrink_png.py -- makes a small picture of a rendered one: half the width and height, a palette of at most 128 colours.

usage: python3 tools/shrink_png.py IN.png OUT.png [--colours N | --whole]
--whole: the same picture, only compressed harder.
Reads PNG with 8 bits a channel, RGB, not interlaced, as `contact run --render` writes it. Means are taken of four pixels; the palette is a median
cut. The file is written under a temporary name and renamed. Standard library only.
"""
import argparse
import os
import struct
import sys
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        n, = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + n]
        at += 12 + n


def read(path):
    """width, height, rows of bytes"""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("%s: no PNG" % path)
    parts = list(chunks(data))
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", dict(parts)[b"IHDR"])
    if (depth, kind, interlaced) != (8, 2, 0):
        sys.exit("%s: expected 8 bits, RGB, not interlaced" % path)
    raw, rows, before, stride = zlib.decompress(b"".join(d for k, d in parts if k == b"IDAT")), [], bytearray(3 * width), 3 * width
    for y in range(height):
        how, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride if how else 0):
            a, b, c = line[x - 3] if x >= 3 else 0, before[x], before[x - 3] if x >= 3 else 0
            if how == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                add = a if pa <= pb and pa <= pc else (b if pb <= pc else c)
            else:
                add = (0, a, b, (a + b) // 2)[how]
            line[x] = (line[x] + add) & 255
        rows.append(line)
        before = line
    return width, height, rows


def halved(width, height, rows):
    out = []
    for y in range(height // 2):
        p, q, line = rows[2 * y], rows[2 * y + 1], []
        for x in range(0, 6 * (width // 2), 6):
            line.append(tuple((p[x + k] + p[x + 3 + k] + q[x + k] + q[x + 3 + k] + 2) // 4 for k in range(3)))
        out.append(line)
    return out


def palette(rows, most):
    """median cut: boxes of colours, the widest split at its middle pixel; returns the index of each colour and the boxes' means"""
    count = {}
    for line in rows:
        for c in line:
            count[c] = count.get(c, 0) + 1
    boxes = [list(count)]
    while len(boxes) < most:
        widths = [max(max(c[k] for c in b) - min(c[k] for c in b) for k in range(3)) for b in boxes]
        size, i = max((width * sum(count[c] for c in b) ** 0.25, i) for i, (b, width) in enumerate(zip(boxes, widths)))
        if size == 0:
            break
        box = boxes[i]
        k = max(range(3), key=lambda j: max(c[j] for c in box) - min(c[j] for c in box))
        box.sort(key=lambda c: c[k])
        half, at, seen = sum(count[c] for c in box) / 2, 0, 0
        while seen < half:
            seen += count[box[at]]
            at += 1
        at = min(max(at, 1), len(box) - 1)
        boxes[i:i + 1] = [box[:at], box[at:]]
    means, index = [], {}
    for i, box in enumerate(boxes):
        n = sum(count[c] for c in box)
        means.append(tuple(round(sum(c[k] * count[c] for c in box) / n) for k in range(3)))
        for c in box:
            index[c] = i
    return index, means


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def replace(path, data):
    with open(path + ".tmp", "wb") as f:
        f.write(data)
    os.replace(path + ".tmp", path)
    return len(data)


def compress(source, target):
    with open(source, "rb") as f:
        data = f.read()
    parts = list(chunks(data))
    packed = zlib.compress(zlib.decompress(b"".join(d for k, d in parts if k == b"IDAT")), 9)
    return replace(target, data[:8] + chunk(b"IHDR", dict(parts)[b"IHDR"]) + chunk(b"IDAT", packed) + chunk(b"IEND", b""))


def write(path, rows, index, means):
    raw = b"".join(b"\0" + bytes(index[c] for c in line) for line in rows)
    data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)) +
            chunk(b"PLTE", b"".join(bytes(m) for m in means)) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))
    return replace(path, data)


def main():
    parser = argparse.ArgumentParser(description="a small picture of a rendered one")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--colours", type=int, default=128)
    parser.add_argument("--whole", action="store_true", help="keep size and colours")
    args = parser.parse_args()
    if args.whole:
        print("%s: %d bytes" % (args.target, compress(args.source, args.target)))
        return
    rows = halved(*read(args.source))
    index, means = palette(rows, args.colours)
    print("%s: %d bytes" % (args.target, write(args.target, rows, index, means)))


if __name__ == "__main__":
    main()
