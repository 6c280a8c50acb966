"""Measure the peak memory of reading and tiling a scene that is larger than it.

A 3,000 x 3,000 x 200 scene of 16-bit values, 3.6 GB, is written as ENVI in a temporary folder, once
for each interleave; a process of its own walks all 256 x 256 windows and computes the component
maps of each (Linux only). Goal: peak resident memory under 1.5 GB.

Run ``python benchmarks/scene_memory.py [bsq bil bip]``; it exits 1 where the goal is missed.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS = COLS = 3000
BANDS = 200
TILE = 256
GOAL_GB = 1.5
STRIP = 50


def main() -> None:
    if sys.argv[1:2] == ["walk"]:
        walk(Path(sys.argv[2]))
        return
    missed = False
    print("| interleave | tiles | time, s | peak resident memory, GB |\n|---|---|---|---|")
    for interleave in sys.argv[1:] or ["bsq", "bil", "bip"]:
        with tempfile.TemporaryDirectory() as folder:
            header = write_scene(Path(folder), interleave)
            command = [sys.executable, __file__, "walk", str(header)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
        tiles, seconds, peak = done.stdout.split()
        print(f"| {interleave} | {tiles} | {float(seconds):.0f} | {float(peak):.2f} |", flush=True)
        missed |= float(peak) > GOAL_GB
    sys.exit(int(missed))


def walk(header: Path) -> None:
    """Compute the component maps of every window; print the count, the time and the peak."""
    from earthexam.sources.scene import open_scene
    from earthexam.spectral.composite import principal_components
    from earthexam.spectral.tiles import cut_tiles

    start = time.perf_counter()
    scene = open_scene(header)
    tiles = cut_tiles(scene.shape[0], scene.shape[1], TILE)
    for tile in tiles:
        principal_components(scene.read_window(tile.row, tile.col, tile.height, tile.width))
    print(len(tiles), time.perf_counter() - start, peak_resident_gb())


def peak_resident_gb() -> float:
    """Return the peak of this program alone: getrusage on Linux also counts what forked it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e9


def write_scene(folder: Path, interleave: str) -> Path:
    """Write mixtures of five smooth spectra with noise, strip by strip."""
    draw = np.random.default_rng(0)
    spectra = np.cumsum(draw.normal(0, 60, (5, BANDS)), axis=1) + 3000
    noise = draw.normal(0, 40, (STRIP, COLS, BANDS)).astype(np.float32)
    shape = {
        "bsq": (BANDS, ROWS, COLS), "bil": (ROWS, BANDS, COLS), "bip": (ROWS, COLS, BANDS),
    }[interleave]  # fmt: skip
    data = folder / "scene.img"
    file = np.memmap(data, "<u2", "w+", shape=shape)
    for row in range(0, ROWS, STRIP):
        shares = draw.dirichlet(np.ones(5), (STRIP, COLS)).astype(np.float32)
        strip = shares @ spectra.astype(np.float32) + np.roll(noise, row, axis=1)
        values = np.clip(strip, 0, 65535).astype(np.uint16)
        rows = slice(row, row + STRIP)
        match interleave:
            case "bsq":
                file[:, rows] = values.transpose(2, 0, 1)
            case "bil":
                file[rows] = values.transpose(0, 2, 1)
            case _:
                file[rows] = values
    del file
    header = folder / "scene.hdr"
    wavelengths = ", ".join(f"{nm:.1f}" for nm in np.linspace(400, 2500, BANDS))
    header.write_text(
        f"ENVI\nsamples = {COLS}\nlines = {ROWS}\nbands = {BANDS}\nheader offset = 0\n"
        f"data type = 12\ninterleave = {interleave}\nbyte order = 0\n"
        f"wavelength units = nm\nwavelength = {{{wavelengths}}}\n",
        encoding="utf-8",
    )
    return header


if __name__ == "__main__":
    main()
