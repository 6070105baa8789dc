"""Parts of the HTTP interface by themselves: the bucket, the pools, and the document that is made from the table."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import partial

import httpx
import pytest
from conftest import VaultOf

from memoryclaw import config, errors
from memoryclaw.app import App, open_vault, system_clock
from memoryclaw.app.verbs import LONG, READ, WRITE
from memoryclaw.daemon.daemon import Daemon
from memoryclaw.interfaces import shapes
from memoryclaw.interfaces.cli import serving
from memoryclaw.interfaces.cli.verbs import VERBS, CliContext, cli
from memoryclaw.interfaces.http import server
from memoryclaw.interfaces.http.guard import Bucket
from memoryclaw.interfaces.http.routes import CODES, OPEN, ROWS
from memoryclaw.interfaces.http.server import document
from memoryclaw.interfaces.http.workers import WorkerPool, WorkerPools
from memoryclaw.interfaces.requests import NoArguments, RefusedError, VaultPool, refusal_of
from memoryclaw.interfaces.schemas import Schemas
from memoryclaw.interfaces.shapes import Shape


def test_a_bucket_lets_a_burst_through_and_fills_again() -> None:
    now = [0.0]
    bucket = Bucket(10, lambda: now[0])
    assert [bucket.wait() for _ in range(21)] == [0] * 20 + [1]
    now[0] = 0.1
    assert [bucket.wait(), bucket.wait()] == [0, 1]
    now[0] = 1000.0
    assert [bucket.wait() for _ in range(21)].count(0) == 20


def test_a_verb_that_writes_or_takes_long_holds_up_nobody_who_reads(vault_of: VaultOf) -> None:
    root = vault_of({"notes/a.md": "# Lantern\n"})
    pools, over = WorkerPools(lambda: open_vault(root)), threading.Event()

    async def together() -> int:
        waiting = [asyncio.create_task(pools.run(pool, lambda _: over.wait(60))) for pool in (WRITE, LONG)]
        count = await pools.run(READ, lambda app: len(app.search("lantern").matches))
        over.set()
        assert await asyncio.gather(*waiting) == [True, True]
        return count

    assert asyncio.run(together()) == 1
    pools.close()


def test_a_lane_that_is_full_says_so(vault_of: VaultOf) -> None:
    root, over = vault_of({"notes/a.md": "a"}), threading.Event()
    pool = WorkerPool(lambda: open_vault(root), threads=1, waiting=2)

    async def crowd() -> None:
        busy = [asyncio.create_task(pool.run(lambda _: over.wait(60))) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(RefusedError) as refused:
            await pool.run(lambda _: None)
        assert (refused.value.refusal.status, refused.value.refusal.headers["Retry-After"]) == (503, "1")
        over.set()
        await asyncio.gather(*busy)
        assert await pool.run(lambda _: "room") == "room"

    asyncio.run(crowd())
    pool.close()


def test_two_threads_never_share_a_vault(vault_of: VaultOf) -> None:
    root, both = vault_of({"notes/a.md": "a"}), threading.Barrier(2)
    pool = WorkerPool(lambda: open_vault(root), threads=2)

    def met(app: App) -> int:
        both.wait(60)
        return id(app)

    async def pair() -> list[int]:
        return await asyncio.gather(pool.run(met), pool.run(met))

    first, second = asyncio.run(pair())
    assert first != second
    pool.close()


def test_settings_that_are_saved_while_they_are_read_count_the_next_time(vault_of: VaultOf) -> None:
    root = vault_of({"notes/a.md": "a"})
    saved = iter([0, 1000, 0])

    def opened() -> App:
        app = open_vault(root)
        if budget := next(saved):
            (root / "memoryclaw.yaml").write_text(f"retrieval:\n  budget: {budget}\n")
        return app

    stock, answers = VaultPool(opened, 1), []
    for _ in range(3):
        with stock.lend() as app:
            answers.append(app.config.budget)
        if len(answers) == 1:
            (root / "memoryclaw.yaml").write_text("retrieval:\n  budget: 200\n")
    assert answers == [600, 200, 1000]
    stock.close()


def test_your_own_settings_of_one_vault_count_the_next_time(vault_of: VaultOf) -> None:
    root = vault_of({"memoryclaw.yaml": f"vault:\n  id: {'a1' * 16}\n"})
    own = config.own_vault_folder(os.environ, "a1" * 16)
    stock, budgets = VaultPool(partial(open_vault, root), 1), []
    for budget in (0, 300, 400):
        if budget:
            own.mkdir(parents=True, exist_ok=True)
            (own / config.OWN_FILE).write_text(f"retrieval:\n  budget: {budget}\n")
        with stock.lend() as app:
            budgets.append(app.config.budget)
    assert budgets == [600, 300, 400]
    stock.close()


def test_however_many_wait_for_the_first_look_no_thread_is_held(
    vault_of: VaultOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_LOOKS", 100_000)
    root = vault_of({"notes/a.md": "# Lantern\n"})
    with open_vault(root) as app:  # else both threads make the index at once, and one may find it busy
        app.sync()
    daemon = Daemon(root, partial(open_vault, root), print, system_clock)
    pools = WorkerPools(partial(open_vault, root))
    served = server.asgi(daemon, pools, repr, hosts=["127.0.0.1:1"], rate=1000.0)
    headers = {"Authorization": f"Bearer {daemon.files.tokens['owner']}"}

    async def crowd() -> list[int]:
        way = httpx.ASGITransport(served)
        async with httpx.AsyncClient(transport=way, base_url="http://127.0.0.1:1", headers=headers) as client:
            waiting = [asyncio.create_task(client.get("/v1/search?q=lantern")) for _ in range(40)]
            await asyncio.sleep(0.05)
            assert not any(item.done() for item in waiting)
            await asyncio.to_thread(daemon.looked.set)
            return [reply.status_code for reply in await asyncio.gather(*waiting)]

    assert asyncio.run(crowd()) == [200] * 40
    daemon.stop()
    pools.close()


def test_every_known_failure_has_its_status() -> None:
    known = [
        class_
        for class_ in vars(errors).values()
        if isinstance(class_, type) and issubclass(class_, errors.MemoryClawError)
    ]
    for kind in known:
        refusal = refusal_of(kind("It is so."))
        assert refusal is not None
        assert refusal.status in CODES
        assert refusal.code in CODES[refusal.status]
        assert refusal.shape["error"]["message"] == "It is so."
    assert refusal_of(ValueError("x")) is None


def test_the_served_document_holds_every_address_and_no_other() -> None:
    openapi = document()
    described = {(method.upper(), path) for path, methods in openapi["paths"].items() for method in methods}
    assert described == {(row.method, row.path) for row in ROWS} | {("GET", path) for path in OPEN}
    names = [
        operation["operationId"] for methods in openapi["paths"].values() for operation in methods.values()
    ]
    assert len(set(names)) == len(names)


def test_the_served_document_holds_every_key_that_a_request_may_have() -> None:
    paths = document()["paths"]
    for row in ROWS:
        operation = paths[row.path][row.method.lower()]
        parameters = {
            parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"
        }
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            parameters |= set(schema.get("properties", {}))
        assert parameters == set(row.asks.model_fields), row
        assert ("requestBody" in operation) == (
            row.method not in ("GET", "DELETE") and row.asks is not NoArguments
        )


def test_the_served_document_describes_every_answer() -> None:
    openapi = document()
    schemas = openapi["components"]["schemas"]
    for row in ROWS:
        answer = openapi["paths"][row.path][row.method.lower()]["responses"]["200"]
        schema = answer["content"]["application/json"]["schema"]
        for branch in schema.get("anyOf", [schema]):
            assert schemas[branch["$ref"].rpartition("/")[2]]["properties"], row
    assert schemas["Match"]["properties"]["score"] == {"type": "number"}
    assert schemas["Match"]["properties"]["highlights"]["items"]["items"] == {"type": "integer"}


def test_every_shape_has_a_schema_of_its_own_name() -> None:
    every = [shape for shape in vars(shapes).values() if isinstance(shape, Shape)]
    together: dict[str, object] = {}
    for shape in every:
        alone = Schemas()
        alone.of(shape)
        for name, schema in alone.components.items():
            assert together.setdefault(name, schema) == schema, name


def test_without_its_packages_it_says_what_to_install(
    vault_of: VaultOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = {"starlette": "starlette", "not_installed_anywhere": "not_installed_anywhere"}
    monkeypatch.setitem(serving._NEEDS, "serve", needs)
    with pytest.raises(
        errors.InputError, match=r"needs not_installed_anywhere: pip install 'memoryclaw\[serve\]'"
    ):
        cli.main(["serve"], standalone_mode=False, obj=CliContext(vault=str(vault_of({"notes/a.md": "a"}))))


def test_the_table_names_a_command_for_every_address() -> None:
    assert {row.like.split()[0] for row in ROWS} <= set(VERBS)
