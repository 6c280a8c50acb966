"""Write a miniature release in the official layouts; questions and pictures are made up."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

FLOOD = "Cross-sphere/Global_Flood_Forecasting/Reasoning/Flood_Predicting"
ENSO = "Oceansphere/Extreme_Events/Reasoning/ENSO_Forecast"
POLLUTION = (
    "Oceansphere/Marine_Debris_and_Oil_Pollution/Perception/Marine_Pollution_Type_Classification"
)
EDDY = "Oceansphere/Phenomenon_Detection/Perception/Eddy_Localization"
LAND_BOX = "Pedosphere/Land_Use/Perception/Visual_groudning_of_land_types"
DISASTER = "Pedosphere/Surface_Disaster_Assessment/Reasoning/Dissaster_prediction"
DAMAGE = "Pedosphere/Surface_Disaster_Assessment/Reasoning/Individual_building_damage_assessment"
PALMS = "Biosphere/Crop_growth_monitoring/Perception/Dead_Oil_Palm_counting"
COVER = "Biosphere/Vegetation_monitoring/Reasoning/Fractional_vegetation_cover_estimation"
ICE = "Cryosphere/Sea_ice_forecast/Reasoning/SIT_Trend_Prediction"
QUAKE = (
    "Lithosphere/earthquake_monitoring_and_prediction/Perception/earthquake_or_noise_classification"
)
ONSET = "Atmosphere/Medium-term_weather_events/Perception/Event_onset_identification"
STORM = "Atmosphere/Medium-term_weather_events/Perception/Storm_Caption"
UNABLE = "Unable to decide"


def picture_bytes(seed: int, width: int = 64, height: int = 48, form: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), (seed % 256, seed // 256, 90)).save(buffer, format=form)
    return buffer.getvalue()


def put_picture(root: Path, name: str, seed: int, width: int = 64, height: int = 48) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    form = "JPEG" if path.suffix == ".jpg" else "PNG"
    path.write_bytes(picture_bytes(seed, width, height, form))


def lettered(*options: str) -> list[str]:
    return [f"({letter}) {text} " for letter, text in zip("ABCDEFGHI", options, strict=False)]


def record(folder: str, number: int | str, text: str, truth: Any, **more: Any) -> dict[str, Any]:
    l1, l2, l3, l4 = (part.replace("_", " ") for part in folder.split("/"))
    return {
        "Question_id": f"{l4}/{number}",
        "Question Type": "Single Choice",
        "Text": text,
        "Ground Truth": truth,
        "Images": [f"raw/{l1}/{l4}/{number}.png"],
        "L1-task": l1,
        "L2-task": l2,
        "L3-task": l3,
        "L4-task": l4,
        "Dataset": "made-up",
        **more,
    }


def choice_records() -> dict[str, list[dict[str, Any]]]:
    flood = lettered("Flooding will not occur", "Flooding will occur", UNABLE)
    states = lettered("Strong warm", "Weak warm", "Neutral", "Weak cold", "Strong cold", UNABLE)
    counts = lettered("3", "4", "5", "6", UNABLE)
    disasters = lettered("Fire", "Flood", "Wind", "Quake", "Volcano", "Slide", "Tsunami", UNABLE)
    return {
        FLOOD: [
            record(FLOOD, 0, "Will it flood?", "B", **{"Answer Choices": flood}),
            record(FLOOD, 1, "Will it flood?", "A", **{"Answer Choices": flood}),
            record(
                FLOOD, 2, "Will it flood, seen thrice?", "B",
                **{"Answer Choices": flood, "Images": ["raw/t/3.png", "raw/t/1.png", "raw/t/2.png"]},
            ),
        ],
        ENSO: [
            record(ENSO, n, f"Which state will hold in {lead} months?", key,
                   **{"Answer Choices": states})
            for n, (lead, key) in enumerate([(1, "A"), (3, "C"), (3, "E"), (12, "B")])
        ],
        PALMS: [
            record(PALMS, n, "How many dead palms?", key, **{"Answer Choices": counts})
            for n, key in enumerate(["A", "B"])
        ],
        DISASTER: [
            record(DISASTER, "x1", "Which disaster comes?", "G", **{"Answer Choices": disasters}),
            record(DISASTER, "x2", "Which disaster comes?", "A", **{"Answer Choices": disasters}),
        ],
        QUAKE: [
            record(QUAKE, 4, "Quake or noise?", "B",
                   **{"Answer Choices": [UNABLE.upper(), "Earthquake", "Noise"]}),
            record(QUAKE, 4, "Quake or noise, again?", "B",
                   **{"Answer Choices": ["Earthquake", "Noise"]}),
        ],
        POLLUTION: [
            record(POLLUTION, 0, "Which are there?", "ACD",
                   **{"Answer Choices": lettered("Debris", "Foam", "Sargassum", "Ship", UNABLE),
                      "Question Type": "Multiple Choice"}),
            record(POLLUTION, 1, "Which are there?", "B",
                   **{"Answer Choices": lettered("Debris", "Foam", "Sargassum", "Ship", UNABLE),
                      "Question Type": "Multiple Choice"}),
        ],
    }  # fmt: skip


def box_records() -> dict[str, list[dict[str, Any]]]:
    return {
        EDDY: [
            record(EDDY, n, "Box the eddy in the picture, width 333, height 266.", truth,
                   **{"Question Type": "Visual Grounding"})
            for n, truth in enumerate(["{<228><168><299><242>}", "{<10><20><110><120>}"])
        ],
        LAND_BOX: [
            record(LAND_BOX, 0, "Box the largest field.", "{<51.2><51.2><102.4><102.4>}",
                   **{"Question Type": "Visual Grounding"}),
        ],
    }  # fmt: skip


def chain_records() -> dict[str, list[dict[str, Any]]]:
    steps = [
        "Step 1: It is a photo of a street.",
        "Step 2: The marked roof is gone.",
        "Step 3: The walls still stand.",
        "Step 10: So the damage is major.",
    ]
    choices = lettered("No damage", "Minor damage", "Major damage", "Destroyed", UNABLE)
    return {
        DAMAGE: [
            record(DAMAGE, n, "How damaged is the marked building?", "C",
                   **{"Answer Choices": choices, "Question Type": "Chain-of-Thought", "CoT": steps})
            for n in range(2)
        ],
    }  # fmt: skip


def unreadable_records() -> dict[str, list[dict[str, Any]]]:
    counts = lettered("3", "4", "5", "6", UNABLE)
    lost = {"Answer Choices": counts, "Images": ["raw/lost.png"]}
    away = {"Answer Choices": counts, "Images": ["../../secret.png"]}
    swapped = {"Answer Choices": ["(B) 3", "(A) 4", "(C) Unable to decide"]}
    return {
        PALMS: [
            record(PALMS, 10, "Key beyond the options?", "F", **{"Answer Choices": counts}),
            record(PALMS, 11, "Two keys of one?", "AB", **{"Answer Choices": counts}),
            record(PALMS, 12, "No picture?", "A", **lost),
            record(PALMS, 13, "A picture elsewhere?", "A", **away),
            record(PALMS, 14, "Letters swapped?", "A", **swapped),
            record(PALMS, 15, "Of no known type?", "A",
                   **{"Answer Choices": counts, "Question Type": "Essay"}),
            record(PALMS, 16, " ", "A", **{"Answer Choices": counts}),
        ],
        EDDY: [
            record(EDDY, 7, "A box without area?", "{<9><9><9><20>}",
                   **{"Question Type": "Visual Grounding"}),
        ],
    }  # fmt: skip


def open_records() -> dict[str, list[dict[str, Any]]]:
    def of(folder: str, number: int, text: str, truth: str) -> dict[str, Any]:
        made = record(folder, number, text, truth)
        # The open tree's paths start below raw/.
        return made | {"Images": [name.removeprefix("raw/") for name in made["Images"]]}

    return {
        PALMS: [of(PALMS, 0, "How many dead palms?", "3"), of(PALMS, 1, "How many?", "4")],
        COVER: [of(COVER, 0, "Cover as a range of 0 to 1?", "0.25-0.5")],
        ICE: [of(ICE, 0, "How thick, in m?", "1.5 m")],
        ENSO: [
            of(ENSO, 0, "Which state will hold in 1 month?", "Strong warm"),
            of(ENSO, 1, "Which state will hold in 3 months?", "Neutral"),
        ],
        FLOOD: [of(FLOOD, 0, "Will it flood?", "Yes")],
        ONSET: [of(ONSET, 0, "In which frame does it start?", "Frame 3")],
    }


def caption_records() -> dict[str, list[dict[str, Any]]]:
    texts = [
        "# Storm\nA broad storm turns over the sea.\nRain falls on the coast.",
        "**Clear** sky over the bay, with thin cloud in the north.",
    ]
    return {
        STORM: [
            record(STORM, n, "Describe the event.", text,
                   **{"Question Type": "Caption", "Images": [f"storm/{n}.png"]})
            for n, text in enumerate(texts)
        ],
    }  # fmt: skip


def write_release(root: Path, *, with_unreadable: bool = False) -> None:
    """Write the JSON trees and every picture they name but the lost ones."""
    trees: dict[str, dict[str, list[dict[str, Any]]]] = {
        "jsons": choice_records() | box_records() | chain_records(),
        "jsons_open": open_records(),
        "caption_data/jsons": caption_records(),
    }
    if with_unreadable:
        for folder, extra in unreadable_records().items():
            trees["jsons"][folder] = trees["jsons"][folder] + extra
    seed = 0
    for tree, files in trees.items():
        for folder, records in files.items():
            path = root / tree / f"{folder}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(records, indent=4), encoding="utf-8")
            for made in records:
                for name in made["Images"]:
                    seed += 1
                    place = {"jsons_open": "raw/", "caption_data/jsons": "caption_data/images/"}
                    if "lost" not in name and ".." not in name:
                        size = (333, 266) if folder == EDDY else (512, 512)
                        put_picture(root, f"{place.get(tree, '')}{name}", seed, *size)
    (root / "jsons_open" / "open_ended_tasks.json").write_text(json.dumps([PALMS, COVER]))


def write_shards(root: Path) -> None:
    """Write the shards that the official builder makes of the choice, box and chain records."""
    for tree, files in (
        ("mcq_shards", choice_records() | chain_records()),
        ("vg_shards", box_records()),
        ("cot_shards", chain_records()),
    ):
        for folder, records in files.items():
            path = root / tree / f"{folder}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [_row(tree, made, place) for place, made in enumerate(records)]
            pq.write_table(pa.Table.from_pylist(rows), path)


def _row(tree: str, made: dict[str, Any], place: int) -> dict[str, Any]:
    number = made["Question_id"].split("/")[-1]
    row = {
        "index": int(number) if number.isdigit() else place,
        "question_type": made["Question Type"],
        "question": made["Text"],
        "answer": made["Ground Truth"],
        **{key: made[key] for key in ("L1-task", "L2-task", "L3-task", "L4-task", "Dataset")},
    }
    if tree == "vg_shards":
        width, height = (333, 266) if "Eddy" in made["L4-task"] else (512, 512)
        box = [float(part) for part in made["Ground Truth"].strip("{<>}").split("><")]
        scale = (width, height, width, height)
        fractions = [np.float32(v / s).item() for v, s in zip(box, scale, strict=True)]
        data = picture_bytes(place, width, height)
        return row | {
            "answer": fractions,
            "image": {"bytes": data, "path": f"{number}.png"},
            "image_width": width,
            "image_height": height,
        }
    row["multi-choice options"] = [choice.strip() for choice in made["Answer Choices"]]
    row["image"] = [
        {"bytes": picture_bytes(len(name) + place), "path": Path(name).name}
        for name in made["Images"]
    ]
    if tree == "cot_shards":
        logical = [s.split(":")[1].strip() for s in made["CoT"] if "is a photo" not in s]
        row["CoT"] = made["CoT"]
        row["key_annotation_steps"] = {
            "solution1": {
                "image_caption": [""],
                "logical_conclusion": [*logical, f"The answer is {made['Ground Truth']}"],
            }
        }
        row["reference_caption"] = [s[7:].strip() for s in made["CoT"] if "is a photo" in s]
        row["category"], row["subcategory"] = made["L2-task"], made["L4-task"]
    return row
