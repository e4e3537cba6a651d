"""Open every page of the site in headless Chromium, and print what is wider than its window or has no size.

``python docs/site/look.py FOLDER``. Pages are measured as a phone and as a desk show them, in light and in dark.
"""

import json
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

__all__ = ["look"]

_WIDTHS = (390, 1440)
_MEASURE = """
<!doctype html><title>measuring</title><body><script type="module">
const problems = [];
// The theme lets the whole article scroll, so the width of the document tells nothing. Parts of it may scroll.
const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
const beyond = (element, width) => {
    const box = element.getBoundingClientRect();
    if (box.right <= width + 1 || !box.width || !box.height) return false;
    for (let above = element.parentElement; above && above.tagName !== "ARTICLE"; above = above.parentElement)
        if (scrolls(above)) return false;
    return true;
};
const frame = document.createElement("iframe");
document.body.append(frame);
frame.height = 900;
for (const page of PAGES) for (const width of WIDTHS) {
    frame.width = width;
    await new Promise((done) => { frame.onload = done; frame.src = page; });
    const shown = frame.contentDocument;
    for (const theme of ["light", "dark"]) {
        shown.documentElement.dataset.theme = theme;
        for (const image of shown.images) image.loading = "eager";
        await Promise.all([...shown.images].map((image) => image.decode().catch(() => null)));
        const here = `${page}, ${width} px, ${theme}`;
        const wide = [...shown.querySelectorAll("article *")].find((each) => beyond(each, width));
        if (wide) {
            const end = Math.round(wide.getBoundingClientRect().right);
            problems.push(`${here}: ${wide.tagName} "${wide.textContent.slice(0, 60)}" ends at ${end} px`);
        }
        for (const image of shown.images) {
            const box = image.getBoundingClientRect();
            const visible = shown.defaultView.getComputedStyle(image).display !== "none";
            if (visible && !(image.naturalWidth && box.width > 8 && box.height > 8))
                problems.push(`${here}: ${image.getAttribute("src")} is empty`);
        }
    }
}
document.body.replaceChildren(JSON.stringify(problems));
document.body.id = "done";
</script>
"""


class _Handler(SimpleHTTPRequestHandler):
    page = ""

    def do_GET(self) -> None:
        if self.path != "/look":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page.encode())

    def log_message(self, *_: object) -> None:
        """Print nothing for each page."""


def look(folder: Path) -> list[str]:
    """Return what is wrong with the pages in a folder."""
    found = sorted(page.relative_to(folder).as_posix() for page in folder.rglob("*.html"))
    _Handler.page = _MEASURE.replace("PAGES", json.dumps(found)).replace("WIDTHS", json.dumps(_WIDTHS))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/look"
        shown = _dom(address)
        server.shutdown()
    head, _, rest = shown.partition('<body id="done">')
    if not rest:
        return [f"Chromium ended before it had measured all pages:\n{head}"]
    problems: list[str] = json.loads(rest.partition("</body>")[0])
    return problems


def _dom(address: str) -> str:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("chromium is missing; on Debian: apt-get install chromium")
    how = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1500,1000", "--timeout=1200000"]
    command = [chromium, *how, "--virtual-time-budget=100000000", "--dump-dom", address]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    problems = look(Path(sys.argv[1]).resolve())
    print("\n".join(problems) or "no page is wider than its window, and no picture is empty")
    sys.exit(bool(problems))
