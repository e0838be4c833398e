"""Potato, as its deployment does it: gunicorn with one worker and eight threads (it holds its state in one process).

One project asks for both steps: areas of law (several), which side is more accurate (one), and a slider. A complete
answer is what its page sends: a save after the areas, a save after the preference, then the step to the next text and
the page with it. The saves are the submits. Users register with a password before anything is measured.
"""

import json
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.benchmarks.load.machine import NotMeasured, Place, free_port, responds
from tests.benchmarks.load.systems.system import LABELS, TEXT, Peer, Ready, Sizes
from tests.benchmarks.load.users import User

CONFIGURATION = {
    "annotation_task_name": "Load",
    "task_dir": ".",
    "site_dir": "default",
    "output_annotation_dir": "annotation_output",
    "output_annotation_format": "jsonl",
    "data_files": ["data/items.jsonl"],
    "item_properties": {"id_key": "id", "text_key": "text"},
    "user_config": {"allow_all_users": True, "users": []},
    "require_password": True,
    "max_annotations_per_user": -1,
    "assignment_strategy": "random",
    "annotation_schemes": [
        {
            "annotation_type": "multiselect",
            "name": "areas",
            "description": "Which areas of law, if any, does this text touch?",
            "labels": [f"area{k}" for k in range(LABELS)],
        },
        {
            "annotation_type": "radio",
            "name": "better",
            "description": "Which of them is more accurate?",
            "labels": ["A", "B", "both", "neither"],
        },
        {
            "annotation_type": "slider",
            "name": "certainty",
            "description": "How certain are you?",
            "min_value": 0,
            "max_value": 100,
            "starting_value": 50,
        },
    ],
}


class Potato(Peer):
    name = "potato"
    title = "Potato"
    script = f"{__name__}:PotatoUser"
    packages = ("potato-annotation==2.12.1", "gunicorn==27.0.1")

    def start(self, place: Place, sizes: Sizes) -> Ready:
        python = self.installed()
        project = place.folder / "project"
        (project / "data").mkdir(parents=True)
        with (project / "data" / "items.jsonl").open("w") as items:
            for k in range(sizes.texts):
                items.write(json.dumps({"id": f"case-{k}", "text": f"Case {k}. {TEXT}"}) + "\n")
        told = {**CONFIGURATION, "max_annotations_per_item": sizes.experts_per_comparison}
        (project / "config.yaml").write_text(json.dumps(told))  # JSON is YAML
        port = free_port()
        command = [str(Path(python).parent / "gunicorn"), "--workers", "1", "--threads", "8"]
        server = place.start(
            "gunicorn",
            [*command, "--bind", f"127.0.0.1:{port}", "potato.flask_server:create_app('config.yaml')"],
            env={"POTATO_NONINTERACTIVE": "1", "POTATO_SECRET_KEY": secrets.token_hex(32), "HOME": str(place.folder)},
            cwd=project,
        )
        place.wait(server, lambda: responds(f"http://127.0.0.1:{port}/health"), name="gunicorn", seconds=120)
        people = [{"email": f"expert{k}", "password": secrets.token_hex(8)} for k in range(sizes.users)]
        return Ready(port, people, self.packages[0].partition("==")[2])


class PotatoUser(User):
    """An annotator's page."""

    async def start(self) -> None:
        account = urlencode({"email": self.person["email"], "pass": self.person["password"]}).encode()
        for address in ("/register", "/auth"):  # with more users later, the first of them are known already
            await self.ask("POST", address, form=account)
            if "session" in self.cookies:
                break
        self.text = await self.shown()
        if not self.text:
            raise NotMeasured("Potato gave no text after signing in")

    async def shown(self) -> str:
        page = (await self.ask("GET", "/annotate")).body
        _, found, rest = page.partition(b'name="instance_id" type="hidden" value="')
        return rest.partition(b'"')[0].decode() if found else ""

    async def answer(self) -> Any:
        if not self.text:
            return None
        areas = [f"area{k}" for k in self.random.sample(range(LABELS), 2)]
        chosen = {f"areas:{area}": area for area in areas}
        await self.save(chosen)
        better = self.random.choice(("A", "B", "both", "neither"))
        certainty = str(self.random.randrange(101))
        await self.save({**chosen, f"better:{better}": better, "certainty:certainty": certainty})
        answered = self.text
        await self.fetch("POST", "/annotate", {"action": "next_instance", "instance_id": answered})
        self.text = await self.shown()
        return [self.person["email"], answered]

    def own_headers(self) -> dict[str, str]:
        return {"X-Potato-Navigation": "1"}

    async def save(self, annotations: dict[str, str]) -> None:
        body = {"instance_id": self.text, "annotations": annotations, "cleared_schemas": [], "span_annotations": []}
        told = await self.submit("/updateinstance", {**body, "response_time_seconds": 3})
        if told["status"] != "success":
            raise NotMeasured(f"Potato did not save: {told['status']}")
