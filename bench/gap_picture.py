#!/usr/bin/python3
"""Gap against time, both logarithmic, a panel for each cell: bench/gap_picture.py GAP.json OUT.png

bench/solvers --picture measures, writes the JSON and calls this. Needs cairo for Python (python3-cairo)."""
import json
import math
import sys
from collections import namedtuple
from itertools import accumulate

import cairo

# As in the program's own pictures.
INK, QUIET, RULE = 0x1B2430, 0x5A6675, 0xA9B2BD
OURS, THEIRS = 0x1F6FB4, (0xE07A10, 0xA8362A, 0xC2A01A, 0x159A78, 0xD277B0, 0x4A4A68, 0x7CC4EA, 0x8A6D3B)
WIDTH, PANEL, MARGIN, SCALE = 960, 330, 32, 2
TITLE, TEXT, SMALL = 23, 14.5, 12.5
LEAST_GAP = 1e-10  # what is nearer is drawn there
MARKERS = ("circle", "triangle", "square", "diamond", "down", "cross", "plus", "hexagon")

Frame = namedtuple("Frame", "left top right bottom times gaps")  # times, gaps: decades, from and to


class Painter:
    def __init__(self, context):
        self.c = context

    def colour(self, rgb, alpha=1):
        self.c.set_source_rgba(*((rgb >> shift & 255) / 255 for shift in (16, 8, 0)), alpha)

    def text(self, x, y, words, *, size=TEXT, rgb=QUIET, bold=False, align=0, turned=False):
        """align: 0 begins at x, 0.5 is centred there, 1 ends there."""
        weight = cairo.FONT_WEIGHT_BOLD if bold else cairo.FONT_WEIGHT_NORMAL
        self.c.select_font_face("Inter", cairo.FONT_SLANT_NORMAL, weight)
        self.c.set_font_size(size)
        self.colour(rgb)
        self.c.save()
        self.c.translate(x, y)
        if turned:
            self.c.rotate(-math.pi / 2)
        self.c.move_to(-align * self.c.text_extents(words).x_advance, 0)
        self.c.show_text(words)
        self.c.restore()

    def line(self, points, rgb, width, *, dash=(), alpha=1):
        self.c.set_dash(dash)
        self.c.set_line_width(width)
        self.c.set_line_join(cairo.LINE_JOIN_ROUND)
        self.colour(rgb, alpha)
        self.c.new_path()  # text leaves a point behind
        for point in points:
            self.c.line_to(*point)
        self.c.stroke()
        self.c.set_dash(())

    def marker(self, kind, x, y, rgb, r=4.2):
        c = self.c
        c.new_path()
        corners = {"triangle": (-90, 3), "down": (90, 3), "square": (45, 4), "diamond": (0, 4), "hexagon": (0, 6)}
        if kind == "circle":
            c.arc(x, y, r, 0, 2 * math.pi)
        elif kind in corners:
            first, count = corners[kind]
            for k in range(count):
                angle = math.radians(first + 360 * k / count)
                c.line_to(x + 1.25 * r * math.cos(angle), y + 1.25 * r * math.sin(angle))
            c.close_path()
        else:
            a, b = (r, r) if kind == "cross" else (0, r)
            self.line([(x - a, y - b), (x + a, y + b)], rgb, 2)
            self.line([(x - b, y + a), (x + b, y - a)], rgb, 2)
            return
        self.colour(rgb)
        c.fill_preserve()
        self.colour(0xFFFFFF)
        c.set_line_width(0.8)
        c.stroke()


def power_text(exponent):
    digits = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
    return "1" if exponent == 0 else "10" if exponent == 1 else "10" + str(exponent).translate(digits)


def times_text(exponent):
    """Seconds, in the words that people use."""
    return {-3: "1 ms", -2: "10 ms", -1: "0.1 s", 0: "1 s", 1: "10 s", 2: "100 s"}.get(exponent, power_text(exponent) + " s")


def place(frame, time, gap):
    across = (math.log10(time) - frame.times[0]) / (frame.times[1] - frame.times[0])
    down = (frame.gaps[1] - math.log10(max(gap, LEAST_GAP))) / (frame.gaps[1] - frame.gaps[0])
    return frame.left + across * (frame.right - frame.left), frame.top + down * (frame.bottom - frame.top)


def frame_of(panel, left, top, right, bottom):
    """Decades that hold all points; gaps from 1 down."""
    points = [p[0] for p in panel["halfspace"]] + [p[0] for ladder in panel["peers"] for p in ladder["points"]]
    first, last = math.floor(math.log10(min(points))), math.ceil(math.log10(max(points)))
    return Frame(left, top, right, bottom, (first, max(last, first + 1)), (int(math.log10(LEAST_GAP)), 0))


def draw_axes(painter, frame):
    for exponent in range(frame.gaps[0], frame.gaps[1] + 1, 2):
        x, y = place(frame, 10.0 ** frame.times[0], 10.0 ** exponent)
        painter.line([(x, y), (frame.right, y)], RULE, 0.6, alpha=0.5)
        painter.text(x - 8, y + 4.5, power_text(exponent), size=SMALL, align=1)
    for exponent in range(frame.times[0], frame.times[1] + 1):
        x, y = place(frame, 10.0 ** exponent, 10.0 ** frame.gaps[0])
        painter.line([(x, frame.top), (x, y)], RULE, 0.6, alpha=0.5)
        painter.text(x, y + 18, times_text(exponent), size=SMALL, align=0.5)
    for wanted in (1e-3, 1e-6):
        x, y = place(frame, 10.0 ** frame.times[0], wanted)
        painter.line([(x, y), (frame.right, y)], QUIET, 1, dash=(4, 4))
    painter.line([(frame.left, frame.top), (frame.left, frame.bottom), (frame.right, frame.bottom)], RULE, 1.2)


def draw_panel(painter, panel, looks, left, top, right, bottom):
    painter.text(left, top - 26, panel["title"], size=TEXT, rgb=INK, bold=True)
    painter.text(left, top - 9, panel["size"], size=SMALL)
    frame = frame_of(panel, left, top, right, bottom)
    draw_axes(painter, frame)
    painter.c.save()
    painter.c.rectangle(left - 6, top - 6, right - left + 12, bottom - top + 12)
    painter.c.clip()
    for ladder in panel["peers"]:
        rgb, kind = looks[ladder["family"], ladder["name"]]
        points = [place(frame, *point) for point in ladder["points"] if math.isfinite(point[1])]
        painter.line(points, rgb, 1.3, alpha=0.6)
        for point in points:
            painter.marker(kind, *point, rgb)
    nearest = accumulate((far for _, _, far in panel["halfspace"]), min)
    painter.line([place(frame, p[0], far) for p, far in zip(panel["halfspace"], nearest)], OURS, 1.6, dash=(2, 3))
    ours = [place(frame, t, gap) for t, gap, _ in panel["halfspace"]]
    painter.line(ours, OURS, 3)
    for point in ours[:1] + ours[-1:]:  # one look may be all that there is
        painter.marker("circle", *point, OURS)
    painter.c.restore()


def draw_legend(painter, looks, top):
    """Ours first, then each peer's solvers on a line of their own."""
    x = MARGIN
    for words, width, dash in (("halfspace, certified gap", 3, ()), ("halfspace, distance to the optimum", 1.6, (2, 3))):
        painter.line([(x, top - 5), (x + 26, top - 5)], OURS, width, dash=dash)
        painter.text(x + 34, top, words, rgb=INK)
        x += 60 + painter.c.text_extents(words).x_advance
    for row, family in enumerate(dict.fromkeys(family for family, _ in looks)):
        x, y = MARGIN, top + 24 * (row + 1)
        painter.text(x, y, family, rgb=INK)
        x += 120
        for (_, name), (rgb, kind) in ((key, look) for key, look in looks.items() if key[0] == family):
            painter.marker(kind, x, y - 5, rgb)
            painter.text(x + 12, y, name)
            x += 36 + painter.c.text_extents(name).x_advance


def draw(panels, out):
    names = dict.fromkeys((ladder["family"], ladder["name"]) for panel in panels for ladder in panel["peers"])
    looks = {name: (THEIRS[k % len(THEIRS)], MARKERS[k % len(MARKERS)]) for k, name in enumerate(names)}
    head = 176 + 24 * len({family for family, _ in looks})
    height = head + PANEL * ((len(panels) + 1) // 2) - 24
    surface = cairo.ImageSurface(cairo.FORMAT_RGB24, WIDTH * SCALE, height * SCALE)
    context = cairo.Context(surface)
    context.scale(SCALE, SCALE)
    context.set_source_rgb(1, 1, 1)
    context.paint()
    painter = Painter(context)
    painter.text(MARGIN, 48, "Gap against time", size=TITLE, rgb=INK, bold=True)
    painter.text(MARGIN, 72, "seconds of the solver alone, one thread; "
                 "each point of a peer is a run of its own, tighter than the last")
    draw_legend(painter, looks, 104)
    wide = (WIDTH - 2 * MARGIN) / 2
    for k, panel in enumerate(panels):
        left, top = MARGIN + wide * (k % 2) + 52, head + PANEL * (k // 2)
        draw_panel(painter, panel, looks, left, top, left + wide - 72, top + PANEL - 84)
    surface.write_to_png(out)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="ascii") as file:
        draw(json.load(file)["panels"], sys.argv[2])
