#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages as a browser has them: nothing overlaps or sticks out, no complaint, no request.

    look.py PAGE.html...

Each at 400, 1280 and 2560 pixels, light and dark. Prints a line for each, in TAP's words.
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile

WIDTHS = (400, 1280, 2560)
SCHEMES = {"light": 1, "dark": 0}  # blink::mojom::PreferredColorScheme

# Texts of a drawing that cover each other, and what is wider than the page. The result is the title.
MEASURE = """
<script>
addEventListener("load", () => {
	const wrong = [];
	if (document.documentElement.scrollWidth > innerWidth)
		wrong.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const details of document.querySelectorAll("details"))
		details.open = true;
	for (const svg of document.querySelectorAll("svg")) {
		const frame = svg.getBoundingClientRect();
		const boxes = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
		for (const [words, box] of boxes)
			if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
				wrong.push("outside of its drawing: " + words);
		for (let i = 0; i < boxes.length; i++)
			for (let j = 0; j < i; j++) {
				const [a, b] = [boxes[i][1], boxes[j][1]];
				const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
				const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
				if (across > 1 && down > 3)
					wrong.push("one on the other: " + boxes[i][0] + " | " + boxes[j][0]);
			}
	}
	const ink = getComputedStyle(document.body).color, back = getComputedStyle(document.body).backgroundColor;
	document.title = "measured " + JSON.stringify({wrong: wrong.slice(0, 5), count: wrong.length, ink, back,
		texts: document.querySelectorAll("svg text").length});
});
</script>
"""


def browse(page, width, scheme, *options):
    """What the browser writes on standard output and error."""
    with tempfile.TemporaryDirectory(prefix="predictd-pages.") as profile:
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
             f"--user-data-dir={profile}", f"--window-size={width},2000", "--hide-scrollbars",
             f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *options, "file://" + os.path.abspath(page)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def measured(page, width, scheme, folder):
    """Of a copy that may run the script above."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    if count != 1:
        return {"wrong": ["it has no policy that forbids scripts and requests"], "count": 1, "texts": 0, "ink": "", "back": ""}
    copy = os.path.join(folder, "copy.html")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", MEASURE + "</body>"))
    told, said = browse(copy, width, scheme, "--dump-dom", "--virtual-time-budget=5000")
    found = re.search(r"<title>measured (.*?)</title>", told, re.DOTALL)
    if found is None:
        return {"wrong": ["it was not measured: " + said[-300:]], "count": 1, "texts": 0, "ink": "", "back": ""}
    return json.loads(html.unescape(found[1]))


def complaints(page, folder):
    """Of the page as it is: what the console says, and what it asked for."""
    log = os.path.join(folder, "net.json")
    _, said = browse(page, 1280, "light", "--dump-dom", "--enable-logging=stderr", f"--log-net-log={log}")
    wrong = re.findall(r"CONSOLE[^\n]*", said)
    asked = set()
    with open(log, encoding="utf-8", errors="replace") as file:
        for event in file:  # one a line; what the browser asks for itself has no initiator
            initiator = re.search(r'"initiator":"([^"]*)"', event)
            url = re.search(r'"url":"((?:https?|wss?|ftp)://[^"]*)"', event)
            if url and initiator and initiator[1] != "not an origin":
                asked.add("asked for " + url[1])
    return wrong + sorted(asked)


def main():
    number = failed = 0

    def told(words, wrong):
        nonlocal number, failed
        number += 1
        failed += bool(wrong)
        for one in wrong:
            print(f"# {one}")
        print(f"{'not ok' if wrong else 'ok'} {number} - {words}", flush=True)

    with tempfile.TemporaryDirectory(prefix="predictd-pages.") as folder:
        for page in sys.argv[1:]:
            name = os.path.basename(page)
            told(f"{name}: no complaint and no request", complaints(page, folder))
            backs = {}
            for scheme in SCHEMES:
                for width in WIDTHS:
                    seen = measured(page, width, scheme, folder)
                    backs[scheme] = seen["back"]
                    wrong = list(seen["wrong"])
                    if seen["count"] > len(wrong):
                        wrong.append(f"and {seen['count'] - len(wrong)} more")
                    if not seen["texts"]:
                        wrong.append("it has no drawing")
                    told(f"{name}, {width} pixels, {scheme}: nothing overlaps", wrong)
            told(f"{name}: dark is another page than light", [] if backs["light"] != backs["dark"] else [str(backs)])
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
