"""doccano with PostgreSQL, its web server as `doccano webserver` starts it: gunicorn, 2 n + 1 workers for n processors.

(Started by gunicorn itself, because `doccano webserver` listens to other machines.) A project classifies documents,
several labels each. A complete answer is a label and the tick that says the text is done, both stored, then the next
text and its labels, as its page loads them. Its two POSTs are the submits. One project is each annotator's own view:
annotators do not see each other's labels.
"""

import json
import os
import secrets
from pathlib import Path
from typing import Any

from tests.benchmarks.load.machine import Place, free_port, responds
from tests.benchmarks.load.systems.system import LABELS, TEXT, Peer, Ready, Sizes
from tests.benchmarks.load.users import User

PREPARE = """
import json, os, sys
import django
sys.path.insert(0, os.getcwd())
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.production"
django.setup()
from django.contrib.auth import get_user_model
from django.test import Client
from django.db import connection
from examples.models import Example
from label_types.models import CategoryType
from projects.models import Member, ProjectType, TextClassificationProject
from roles.models import Role

told = json.load(sys.stdin)
users = get_user_model()
admin = users.objects.create_user("admin")
project = TextClassificationProject.objects.create(
    name="Load", project_type=ProjectType.DOCUMENT_CLASSIFICATION, created_by=admin
)
project.add_admin()
labels = [CategoryType.objects.create(project=project, text=f"area {k}") for k in range(told["labels"])]
Example.objects.bulk_create(
    [Example(project=project, text=f"Case {k}. " + told["text"]) for k in range(told["texts"])], batch_size=1000
)
role = Role.objects.get(name="annotator")
people = []
for k in range(told["users"]):
    user = users.objects.create_user(f"expert{k}")
    Member.objects.create(project=project, user=user, role=role)
    client = Client()
    client.force_login(user)
    cookies = {"sessionid": client.cookies["sessionid"].value, "csrftoken": told["csrf"]}
    people.append({"project": project.pk, "number": k, "labels": [label.pk for label in labels], "cookies": cookies})
connection.cursor().execute("ANALYZE")
print(json.dumps(people))
"""


class Doccano(Peer):
    name = "doccano"
    title = "doccano"
    script = f"{__name__}:DoccanoUser"
    packages = ("doccano==1.8.4", "psycopg2-binary==2.9.11", "marshmallow<4", "setuptools<81", "numpy<2")
    """Besides itself, what it does not name: the driver, and the last versions that it works with."""

    def start(self, place: Place, sizes: Sizes) -> Ready:
        python = self.installed()
        told = place.run(
            [str(python), "-c", "import backend, os; print(os.path.dirname(backend.__file__))"],
            env={},
            cwd=place.folder,
        )
        backend = Path(told.strip())
        port = free_port()
        home = place.folder / "doccano"
        home.mkdir()
        database = f"{place.database}?sslmode=disable" if place.database else f"sqlite:///{home / 'db.sqlite3'}"
        env = {
            "DOCCANO_HOME": str(home),
            "STANDALONE": "True",
            "DATABASE_URL": database,
            "SECRET_KEY": secrets.token_urlsafe(50),
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "MEDIA_ROOT": str(home / "media"),
        }
        place.run([str(python.parent / "doccano"), "init"], env=env, cwd=place.folder)
        csrf = secrets.token_hex(16)
        asked = {"users": sizes.users, "texts": sizes.texts, "labels": LABELS, "text": TEXT, "csrf": csrf}
        people = json.loads(place.run([str(python), "-c", PREPARE], env=env, cwd=backend, stdin=json.dumps(asked)))
        workers = 2 * (os.cpu_count() or 1) + 1
        server = place.start(
            "gunicorn",
            [str(python), "-m", "gunicorn", "--workers", str(workers), "--bind", f"127.0.0.1:{port}", "config.wsgi"],
            env=env,
            cwd=backend,
        )
        place.wait(server, lambda: responds(f"http://127.0.0.1:{port}/v1/me"), name="gunicorn", seconds=180)
        return Ready(port, people, "1.8.4")


class DoccanoUser(User):
    """An annotator's page. Texts come by their number in the list, and each user begins elsewhere."""

    def own_headers(self) -> dict[str, str]:
        return {"X-CSRFToken": self.cookies["csrftoken"]}

    async def start(self) -> None:
        self.project = f"/v1/projects/{self.person['project']}"
        listed = await self.fetch("GET", f"{self.project}/examples?limit=1&offset=0&q=&confirmed=")
        self.count = listed["count"]
        self.begun = self.offset = (self.person["number"] * 53 + self.person["stage"] * self.count // 2) % self.count
        await self.load()

    async def load(self) -> None:
        address = f"{self.project}/examples?limit=1&offset={self.offset}&q=&confirmed="
        self.text = (await self.fetch("GET", address))["results"][0]["id"]
        await self.fetch("GET", f"{self.project}/examples/{self.text}/categories")

    async def answer(self) -> Any:
        answered = self.text
        label = self.random.choice(self.person["labels"])
        await self.submit(f"{self.project}/examples/{answered}/categories", {"label": label})
        await self.submit(f"{self.project}/examples/{answered}/states", {})
        self.offset = (self.offset + 1) % self.count
        if self.offset == self.begun:
            return None
        await self.load()
        return [self.person["number"], answered]
