"""The official Python SDK. It validates structured content against the output schemas.

usage: python_sdk.py http|stdio MODE, with what to connect to as JSON on the standard input. MODE is
`auto` for the protocol without a handshake where the server knows it, or `legacy`. Prints a line of
JSON for each check.
"""

import asyncio
import base64
import json
import subprocess
import sys
import time
import zlib
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

HERE = Path(__file__).parent
PHOTO = HERE / "data/coffee.jpg"
CHECK_LIMIT = 60.0


def filled(value):
    """The calls with the picture in the places that are kept for it."""
    if isinstance(value, dict):
        return {key: filled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner) for inner in value]
    if value == "$PHOTO_PATH":
        return str(PHOTO)
    if value == "$PHOTO_BASE64":
        return base64.b64encode(PHOTO.read_bytes()).decode()
    return value


CALLS = filled(json.loads((HERE / "calls.json").read_text(encoding="utf-8")))
UPLOAD = next(call for call in CALLS["successes"] if call["tool"] == "upload_image")


class Wrong(Exception):
    """Something is not as it was expected."""


def need(condition, expected, got):
    if not condition:
        raise Wrong(f"expected {expected}\ngot      {str(got)[:1200]}")


async def check(what, run):
    start = time.monotonic()
    line = {"check": what, "ok": True}
    try:
        return await asyncio.wait_for(run(), CHECK_LIMIT)
    except Exception as error:  # Whatever it is, the check failed and the next one runs.
        why = str(error) if isinstance(error, Wrong) else f"{type(error).__name__}: {error}"
        line |= {"ok": False, "why": why[:1500]}
        return None
    finally:
        line["ms"] = round((time.monotonic() - start) * 1000)
        print(json.dumps(line), flush=True)


def contract_object(answer):
    first = answer.content[0]
    need(first.type == "text", "a text first", answer)
    told = json.loads(first.text)
    need(answer.structured_content == told, "the same object as text and as structured content", answer)
    return told


def need_success(call, answer):
    need(not answer.is_error, "no is_error", answer)
    if "device_id" in call["arguments"]:
        need_done(call, answer)
    else:
        need_ok(call, answer)


def need_done(call, answer):
    """A sentence, and what is known as an object: the contract of the room's tools."""
    known = answer.structured_content
    need(known["device_id"] == call["arguments"]["device_id"], "the device", known)
    need(known["outcome"] in ("accepted", "confirmed"), "accepted or confirmed", known)
    for key in call["data"]:
        need(key in known["reply"], f"{key} in the reply", known["reply"])
    texts = [part.text for part in answer.content if part.type == "text"]
    need(texts and call.get("says", "") in texts[0], call.get("says"), texts)
    images = [part for part in answer.content if part.type == "image"]
    photo = call.get("photo")
    need(len(images) == (1 if photo else 0), "a picture where one is promised", answer.content)
    if photo:
        size = {key: known["reply"][key] for key in photo}
        need(size == photo, photo, size)
        need(images[0].mime_type == "image/jpeg", "image/jpeg", images[0].mime_type)
        need(base64.b64decode(images[0].data)[:2] == b"\xff\xd8", "a JPEG", images[0].data[:20])


def need_ok(call, answer):
    told = contract_object(answer)
    need(told["ok"] is True and told["tool"] == call["tool"], "ok, and the tool's name", told)
    for key in call["data"]:
        need(key in told["data"], f"{key} in the data", told["data"])
    pictures = [part for part in answer.content if part.type == "image"]
    wanted = call.get("picture")
    need(len(pictures) == (1 if wanted else 0), "a picture where one is promised", answer.content)
    if wanted:
        need_picture(wanted, pictures[0])


def need_failure(call, answer):
    need(answer.is_error, "is_error", answer)
    told = contract_object(answer)
    need(told["ok"] is False and told["tool"] == call["tool"], "not ok, and the tool's name", told)
    error = told["error"]
    need(error["code"] == call["code"], f"the code {call['code']}", error)
    need(error["message"] and error["hint"], "a message and a hint", error)
    need(call["says"] in f"{error['message']} {error['hint']}".lower(), call["says"], error)


def need_picture(wanted, part):
    need(part.mime_type == "image/png", "image/png", part.mime_type)
    file = base64.b64decode(part.data)
    need(len(file) <= wanted["bytes"], f"{wanted['bytes']} bytes at most", len(file))
    need(file[:8] == b"\x89PNG\r\n\x1a\n", "a PNG", file[:8])
    at, header, rows = 8, b"", b""
    while at + 12 <= len(file):
        length = int.from_bytes(file[at : at + 4], "big")
        kind, body = file[at + 4 : at + 8], file[at + 8 : at + 8 + length]
        header = body if kind == b"IHDR" else header
        rows += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height = (int.from_bytes(header[i : i + 4], "big") for i in (0, 4))
    need((width, height) == (wanted["width"], wanted["height"]), "the size of the panel", (width, height))
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[header[9]]
    row = 1 + -(-width * samples * header[8] // 8)
    need(len(zlib.decompress(rows)) == row * height, f"{row * height} bytes of rows", "others")


def need_progress(reports):
    need(len(reports) >= 3, "three reports of progress or more", reports)
    before = -1.0
    for progress, total, message in reports:
        need(progress > before, "progress that only grows", reports)
        need(message and any(letter.isalpha() for letter in message), "words with each report", reports)
        need(total is None or progress <= total, "no progress beyond the total", reports)
        before = progress


async def done(client, call):
    seen = []

    async def on_progress(progress, total, message):
        seen.append((progress, total, message))

    watch = on_progress if call.get("progress") else None
    need_success(call, await client.call_tool(call["tool"], call["arguments"], progress_callback=watch))
    if watch:
        need_progress(seen)


async def failed(client, call, folder):
    async def run():
        if isinstance(call["code"], int):
            return await erred(client, call)
        need_failure(call, await client.call_tool(call["tool"], call["arguments"]))

    if "while" not in call:
        return await run()
    script = [sys.executable, str(HERE / "hold_database.py"), folder]
    holder = subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        need(holder.stdout.readline() == b"held\n", "the database to be held", "something else")
        await run()
    finally:
        holder.communicate()


async def erred(client, call):
    try:
        answer = await client.call_tool(call["tool"], call["arguments"])
    except MCPError as error:
        told = error.error
        need(told.code == call["code"], f"the code {call['code']}", told)
        need(call["says"] in told.message.lower(), call["says"], told.message)
        need(told.data["detail"] and told.data["hint"], "a detail and a hint", told.data)
    else:
        need(False, "an error of the protocol", answer)


async def broken_off(client):
    under_way, seen = asyncio.Event(), []

    async def on_progress(progress, _total, message):
        seen.append((progress, message))
        if progress > 0 and " of " in (message or ""):
            under_way.set()

    arguments = UPLOAD["arguments"] | {"slot": 0}
    call = asyncio.create_task(client.call_tool(UPLOAD["tool"], arguments, progress_callback=on_progress))
    waiting = asyncio.create_task(under_way.wait())
    await asyncio.wait({call, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    need(under_way.is_set() and not call.done(), "progress that counts packets before the end", seen)
    call.cancel()
    try:
        need(False, "no answer after the end of the call", await call)
    except (asyncio.CancelledError, MCPError):
        pass
    need_success(UPLOAD, await client.call_tool(UPLOAD["tool"], UPLOAD["arguments"]))


async def run_all(client, folder):
    async def listed():
        tools = (await client.list_tools()).tools
        offered = sorted(tool.name for tool in tools)
        called = sorted({call["tool"] for call in CALLS["successes"]})
        need(offered == called, f"tools that calls.json calls: {called}", offered)

    await check("every tool is listed and called", listed)
    for call in CALLS["successes"]:
        await check(f"{call['tool']} is done", lambda call=call: done(client, call))
    for call in CALLS["failures"]:
        await check(f"{call['tool']} fails with {call['code']}", lambda call=call: failed(client, call, folder))
    await check("an upload is broken off midway, and the clock is usable", lambda: broken_off(client))


async def main():
    transport, mode = sys.argv[1:3]
    target = json.load(sys.stdin)
    if transport == "http":
        headers = {"Authorization": f"Bearer {target['token']}"}
        async with create_mcp_http_client(headers=headers) as http:
            server = streamable_http_client(target["url"], http_client=http)
            await connected(server, mode, target)
    else:
        parameters = StdioServerParameters(command=target["command"], args=target["args"], env=target["env"])
        await connected(parameters, mode, target)


async def connected(server, mode, target):
    async with Client(server, mode=mode) as client:

        async def spoken():
            need(client.protocol_version == target["version"], target["version"], client.protocol_version)

        await check(f"the protocol of {target['version']} is spoken", spoken)
        await run_all(client, target["folder"])


asyncio.run(main())
