"""The checks: `run.py WATCH_ROOM`, as root, with the Python that has zeroconf."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

# Root leaves nothing in a person's folder.
sys.dont_write_bytecode = True

from network import Network  # noqa: E402
from watcher import Watcher  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))

# Names as boards have them, and as hard as they get.
AVAHI = "Zacus Master Voice Hook"
OTHER = "Énigme n.3 (salle)"
TWIN = "zacus"

# What is typical of a device that has just been switched on, and what is borne on a busy machine:
# responders ask three times whether their name is free before they tell it, 250 ms apart, or 200
# ms for avahi, and then announce themselves.
SOON = 5
# A name is established, and told twice.
SETTLED = 3
# A changed network is noticed within the library's interval of 5 s.
PLUGGED = 12
# A device has to be found silent where it was.
FOLLOWED = 25


class Far:
    """A far side that obeys."""

    def __init__(self, network, namespace, responder):
        words = [sys.executable, os.path.join(HERE, "far.py"), responder]
        if responder == "avahi":
            words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                     *words]
        self.process = network.start(
            namespace, words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._expect("ready")

    def _expect(self, word):
        line = self.process.stdout.readline().strip()
        if line != word:
            raise SystemExit(f"a far side said {line!r} instead of {word!r}")

    def __getattr__(self, order):
        def obey(*arguments):
            self.process.stdin.write(json.dumps([order, *arguments]) + "\n")
            self.process.stdin.flush()
            self._expect("done")

        return obey


def found(name, place=None, family="spec"):
    """That a device of that name is offered at that place, once it was recognised."""
    def like(state):
        return any(
            device["name"] == name
            and (place is None or device["address"] == place)
            and (family is None or device["family"] == family)
            for device in state["found"])

    return like


def gone(name):
    return lambda state: all(device["name"] != name for device in state["found"])


def of(state, device):
    return next(known for known in state["devices"] if known["id"] == device)


def check(what, holds):
    if not holds:
        raise SystemExit(f"not so: {what}")
    print(f"            {what}", flush=True)


def finding(network, program, avahi, zeroconf):
    """Devices that are found, change their names, go, return, and change their addresses."""
    watcher = Watcher(network, program)
    watcher.until("it is searched on both cables",
                  lambda state: state["search"].get("interfaces") == ["near1", "near2"], SOON)

    # A board that tells of a port where nothing listens.
    avahi.serve(80)
    avahi.tell(AVAHI, None, 8081)
    watcher.until(f"{AVAHI}, from avahi, is found", found(AVAHI, family=None), SOON)
    state = watcher.until("its port is recognised", found(AVAHI, "10.77.0.2:80"), SOON)
    device = next(device for device in state["found"] if device["name"] == AVAHI)
    check("its room and version are read", (device["room"], device["version"]) == ("salle1", "3.0"))
    check("its name is free", device["suggested_id"] == "zacus-master-voice-hook")

    zeroconf.serve(8080)
    zeroconf.tell(OTHER, "10.78.0.2", 8080)
    watcher.until(f"{OTHER}, from zeroconf, is found", found(OTHER, family=None), SOON)
    watcher.until("it is recognised", found(OTHER, "10.78.0.2:8080"), SOON)

    zeroconf.goodbye(OTHER)
    zeroconf.tell("Renamed", "10.78.0.2", 8080)
    watcher.until("it has another name", found("Renamed", "10.78.0.2:8080"), SOON)
    watcher.until("and only that one", gone(OTHER), SOON)
    avahi.goodbye(AVAHI)
    avahi.tell("Renamed too", None, 8081)
    watcher.until("so has the other", found("Renamed too", "10.77.0.2:80"), SOON)
    watcher.until("and only that one", gone(AVAHI), SOON)

    avahi.goodbye("Renamed too")
    watcher.never("one that says goodbye but answers goes", gone("Renamed too"), 3)
    avahi.tell("Renamed too", None, 8081)
    time.sleep(SETTLED)
    avahi.silence(80)
    avahi.goodbye("Renamed too")
    watcher.until("one that says goodbye and does not answer goes", gone("Renamed too"), SOON)
    avahi.serve(80)
    avahi.tell("Renamed too", None, 8081)
    watcher.until("it returns", found("Renamed too", "10.77.0.2:80"), SOON)

    network.readdress(2, "10.78.0.2", "10.78.0.3")
    zeroconf.retell("Renamed", "10.78.0.3", 8080)
    watcher.until("it is at another address", found("Renamed", "10.78.0.3:8080"), SOON)
    watcher.until("and only there", lambda state: not found("Renamed", "10.78.0.2:8080", None)(state),
                  FOLLOWED)
    zeroconf.goodbye("Renamed")
    network.readdress(2, "10.78.0.3", "10.78.0.2")
    zeroconf.restart()

    # Two boards with one name, neither of which can hear the other.
    avahi.tell(TWIN, None, 80)
    zeroconf.tell(TWIN, "10.78.0.2", 8080)
    watcher.until("two boards with one name are two",
                  lambda state: found(TWIN, "10.77.0.2:80")(state)
                  and found(TWIN, "10.78.0.2:8080")(state), SOON)
    avahi.silence(80)
    zeroconf.silence(8080)
    for far, name in ((avahi, TWIN), (zeroconf, TWIN), (avahi, "Renamed too")):
        far.goodbye(name)
    watcher.until("all are gone", lambda state: not state["found"], FOLLOWED)
    watcher.stop()


def following(network, program, zeroconf):
    """A device of the room, on a cable that is plugged in late, and at another address later."""
    network.plug(2, False)
    zeroconf.serve(8080)
    zeroconf.tell(OTHER, "10.78.0.2", 8080)
    watcher = Watcher(network, program, f"enigme@{OTHER}")
    watcher.never("it answers without a cable",
                  lambda state: of(state, "enigme")["condition"]["state"] == "answering", 2)
    network.plug(2)

    def answers_at(place):
        return lambda state: (of(state, "enigme")["condition"]["state"] == "answering"
                              and of(state, "enigme")["address"] == place)

    watcher.until("a device of the room answers once its cable is plugged in",
                  answers_at("10.78.0.2:8080"), PLUGGED)
    network.readdress(2, "10.78.0.2", "10.78.0.9")
    zeroconf.retell(OTHER, "10.78.0.9", 8080)
    state = watcher.until("it is followed to another address", answers_at("10.78.0.9:8080"), FOLLOWED)
    remarks = [remark["remark"] for remark in of(state, "enigme")["remarks"]]
    check("that it moved is told", "moved" in remarks)
    watcher.never("it is offered as new", lambda state: state["found"], 3)
    watcher.stop()


def end(*_):
    raise SystemExit("ended from outside")


def main():
    program = sys.argv[1]
    needed = ["avahi-daemon", "avahi-publish", "dbus-daemon", "ip", "mount", "unshare"]
    missing = [name for name in needed if not shutil.which(name)]
    if missing:
        raise SystemExit(f"these programs are missing: {', '.join(missing)}")
    # Whatever ends this, the namespaces go.
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)
    with Network() as network:
        first = network.far(1, "10.77.0")
        second = network.far(2, "10.78.0")
        network.plug(1)
        network.plug(2)
        avahi = Far(network, first, "avahi")
        zeroconf = Far(network, second, "zeroconf")
        finding(network, program, avahi, zeroconf)
        following(network, program, zeroconf)
    print("devices are found and followed on a network", flush=True)


main()
