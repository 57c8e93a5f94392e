# SPDX-License-Identifier: Apache-2.0
"""Pages of HTML that stand by themselves: one file, no script, no request; light and dark; for paper, too.

Every text goes through `escape`: a name or a source cannot become markup.
"""

from __future__ import annotations

import math
from html import escape
from typing import Iterable, Sequence

from ..printable import printable

__all__ = ["Markup", "document", "escape", "list_of", "number", "percent", "section", "seconds", "table", "tag"]

STYLE = """
:root{color-scheme:light dark;--ink:#22272e;--faint:#5d6773;--grid:#dfe3e8;--back:#fff;--panel:#f5f7f9;--good:#1e7a43;--bad:#b03a2e;
--c0:#1f6fb2;--c1:#c2681a;--c2:#2f8a50;--c3:#b8372b;--c4:#7350bd;--c5:#7d5a35;--c6:#b8478a;--c7:#566270}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--faint:#9aa5b1;--grid:#39414b;--back:#16191d;--panel:#1f242a;--good:#63c98b;--bad:#f08a7d;
--c0:#62aef0;--c1:#f0a45c;--c2:#6cc98c;--c3:#f0857a;--c4:#b39cf0;--c5:#c8a273;--c6:#ec8fc6;--c7:#a9b5c2}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,"Segoe UI",Helvetica,Arial,sans-serif;color:var(--ink);background:var(--back);
max-width:1120px;margin:0 auto;padding:20px 16px 60px}
h1{font-size:24px;line-height:1.25;margin:0 0 6px;overflow-wrap:anywhere}
h2{font-size:19px;margin:34px 0 8px;padding-top:12px;border-top:1px solid var(--grid)}
h3{font-size:15px;margin:20px 0 4px;overflow-wrap:anywhere}
p{margin:6px 0;max-width:860px;overflow-wrap:anywhere}.faint{color:var(--faint)}
.wide{overflow-x:auto;max-width:100%;margin:10px 0}
table{border-collapse:collapse;font-size:13.5px}
th,td{padding:3px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid);font-variant-numeric:tabular-nums}
th{color:var(--faint);font-weight:600}
th.words,td.words{text-align:left}td.long{white-space:normal;min-width:14em}
.good{color:var(--good)}.bad{color:var(--bad)}
figure{margin:10px 0;max-width:820px}figcaption{font-size:13px;color:var(--faint)}
figure .wide{margin:0}svg{display:block;width:100%;min-width:600px;height:auto}svg text{font-family:inherit}
.legend{font-size:13px;color:var(--faint);max-width:none}.legend span{display:inline-block;margin-right:16px}
.legend i{display:inline-block;width:10px;height:10px;margin-right:6px;border-radius:2px}
pre{font:12.5px/1.45 ui-monospace,Consolas,monospace;background:var(--panel);padding:10px;overflow-x:auto;margin:8px 0}
table.source{font:12.5px/1.45 ui-monospace,Consolas,monospace;background:var(--panel)}
table.source td{border:0;padding:0 8px;white-space:pre}table.source td.code{text-align:left;tab-size:4}
table.source td.faint{color:var(--faint)}
details{margin:6px 0}summary{cursor:pointer}
@media print{svg{min-width:0}body{max-width:none;padding:0}h2{break-after:avoid}figure,table{break-inside:avoid}details{display:block}}
"""


class Markup(str):
    """Text that is HTML already."""


def _text(part: object) -> str:
    return escape(printable(str(part), "\ufffd"))


def _safe(part: object) -> str:
    return part if isinstance(part, Markup) else _text(part)


def tag(name: str, *parts: object, **attributes: object) -> Markup:
    """An element; what is no `Markup` in it is text. `class_` stands for class."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_text(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{''.join(_safe(part) for part in parts)}</{name}>")


def list_of(parts: Iterable[object]) -> Markup:
    return Markup("".join(_safe(part) for part in parts))


def section(title: str, *parts: object) -> Markup:
    return list_of([tag("h2", title), *parts])


def table(heads: Sequence[str], rows: Sequence[Sequence[object]], words: Sequence[int] = (0,), long: Sequence[int] = ()) -> Markup:
    """`words`: columns of words, which begin on the left; `long`: those whose words may be broken."""

    def cells(kind: str, row: Sequence[object]) -> Markup:
        made = []
        for place, cell in enumerate(row):
            classes = " ".join(name for name, places in (("words", words), ("long", long)) if place in places)
            made.append(tag(kind, cell, **({"class_": classes} if classes else {})))
        return tag("tr", *made)

    body = tag("tbody", *(cells("td", row) for row in rows))
    return tag("div", tag("table", tag("thead", cells("th", heads)), body), class_="wide")


def document(title: str, *parts: object, style: str = "") -> str:
    """The page; `style`: rules beside the page's own."""
    # no address but its own: nothing is fetched, whatever a name holds
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'"/>'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        f'{policy}<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{_text(title)}</title><style>{STYLE}{style}</style></head>"
        f"<body>{list_of([tag('h1', title), *parts])}</body></html>\n"
    )


# ---- numbers -------------------------------------------------------------------------------------


def seconds(time_s: float) -> str:
    if not math.isfinite(time_s):
        return "–"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if time_s >= scale:
            return f"{time_s / scale:.3g} {unit}"
    return f"{time_s / 1e-9:.3g} ns"


def number(value: float, unit: str = "") -> str:
    """Three digits, with a power of thousand before the unit."""
    if not math.isfinite(value):
        return "–"
    for prefix, scale in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= scale:
            return f"{value / scale:.3g} {prefix}{unit}".rstrip()
    return f"{value:.3g} {unit}".rstrip()


def percent(share: float) -> str:
    return "–" if not math.isfinite(share) else f"{100 * share:.0f} %" if share >= 0.095 or share == 0 else f"{100 * share:.1f} %"
