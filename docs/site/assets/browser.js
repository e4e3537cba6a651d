// The page "In the browser": layouts and puzzles, run by Pyodide in the page.
// tests/site/browser.mjs runs the same Python below Node.

import { DRAW, PREPARE, CHECK } from "./programs.js";

const PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/";
const at = (id) => document.getElementById(id);
const say = (text) => { at("status").textContent = text; };
const root = new URL("../", import.meta.url);

let python = null;
let puzzles = [];
let numpy = false;

async function start() {
    at("start").disabled = true;
    say("Loading Python ...");
    try {
        const { loadPyodide } = await import(`${PYODIDE}pyodide.mjs`);
        python = await loadPyodide({ indexURL: PYODIDE });
        const wheels = await (await fetch(new URL("wheels/index.json", root))).json();
        for (const name of wheels) {
            const wheel = await (await fetch(new URL(`wheels/${name}`, root))).arrayBuffer();
            python.unpackArchive(wheel, "wheel");
        }
        for (const button of document.querySelectorAll("form.accel-browser button")) button.disabled = false;
        say(`Python ${python.runPython("import platform; platform.python_version()")} is ready.`);
        draw();
    } catch (error) {
        at("start").disabled = false;
        say(`Python did not start: ${error.message}`);
    }
}

function draw() {
    const wanted = { text: at("text").value, swizzle: at("swizzle").value, color: at("color").value,
                     itemsize: Number(at("itemsize").value) };
    python.globals.set("wanted", python.toPy(wanted));
    at("picture").innerHTML = python.runPython(DRAW);
}

async function check() {
    at("said").textContent = "Running ...";
    try {
        if (!numpy) {
            say("Loading NumPy ...");
            await python.loadPackage(["numpy", "ml-dtypes"]);
            numpy = true;
            say("");
        }
        const puzzle = puzzles[at("which").value];
        python.globals.set("wanted", python.toPy({ ...puzzle, code: at("code").value }));
        python.runPython(PREPARE);
        at("said").textContent = python.runPython(CHECK);
    } catch (error) {
        at("said").textContent = error.message;
    }
}

function show() {
    const puzzle = puzzles[at("which").value];
    at("task").textContent = puzzle.task;
    at("code").value = puzzle.stub;
    at("said").textContent = puzzle.check;
}

at("start").addEventListener("click", start);
at("layout").addEventListener("submit", (event) => { event.preventDefault(); draw(); });
at("puzzle").addEventListener("submit", (event) => { event.preventDefault(); check(); });
at("which").addEventListener("change", show);
puzzles = await (await fetch(new URL("puzzles.json", root))).json();
at("which").innerHTML = puzzles.map((puzzle, k) => `<option value="${k}">${puzzle.title}</option>`).join("");
show();
