"""What stands on a far side: boards that answer over HTTP and tell of themselves by mDNS.

It obeys lines of JSON on its standard input, `[order, argument...]`, and answers each with a line.
The first argument of the program chooses the responder: `zeroconf` or `avahi`.
"""

import http.server
import json
import socket
import subprocess
import sys
import threading
import time

STATUS = json.dumps({"id": "far", "version": "3.1", "scenario": "DEFAULT", "step": "INTRO",
                     "uptime": 5}).encode()


class Board(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = STATUS if self.path.startswith("/api/status") else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Http:
    """The boards' servers, by port."""

    def __init__(self):
        self.servers = {}

    def serve(self, port):
        server = http.server.ThreadingHTTPServer(("0.0.0.0", port), Board)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers[port] = server

    def silence(self, port):
        server = self.servers.pop(port)
        server.shutdown()
        server.server_close()


class Zeroconf:
    """Tells by python-zeroconf."""

    def __init__(self):
        import zeroconf

        self.library = zeroconf
        self.zeroconf = zeroconf.Zeroconf()
        self.told = {}

    def _info(self, name, address, port):
        return self.library.ServiceInfo(
            "_zacus._tcp.local.",
            f"{name}._zacus._tcp.local.",
            addresses=[socket.inet_aton(address)],
            port=port,
            server="esp32-far.local.",
            properties={"room": "salle2", "version": "3.1"},
        )

    def tell(self, name, address, port):
        self.told[name] = self._info(name, address, port)
        self.zeroconf.register_service(self.told[name])

    def retell(self, name, address, port):
        """At another address, as a board does that has got one from its router: the old one is no
        longer there to say goodbye from."""
        self.restart()
        self.tell(name, address, port)

    def restart(self):
        self.zeroconf.close()
        self.zeroconf = self.library.Zeroconf()

    def goodbye(self, name):
        self.zeroconf.unregister_service(self.told.pop(name))


class Avahi:
    """Tells by avahi-daemon, on a system bus of its own."""

    CONFIGURATION = """
[server]
host-name=zacus-avahi
use-ipv4=yes
use-ipv6=no
[publish]
publish-workstation=no
publish-hinfo=no
[rlimits]
"""

    def __init__(self):
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        subprocess.run(["mkdir", "-p", "/run/dbus", "/run/avahi-daemon"], check=True)
        subprocess.run(["dbus-daemon", "--system", "--fork"], check=True)
        with open("/run/avahi.conf", "w", encoding="utf-8") as file:
            file.write(self.CONFIGURATION)
        self.daemon = subprocess.Popen(
            ["avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits",
             "--file", "/run/avahi.conf"], stdout=sys.stderr, stderr=sys.stderr)
        for _ in range(100):
            if subprocess.run(["avahi-daemon", "--check"], check=False).returncode == 0:
                break
            time.sleep(0.1)
        else:
            raise RuntimeError("avahi-daemon did not start")
        self.told = {}

    def tell(self, name, _address, port):
        self.told[name] = subprocess.Popen(
            ["avahi-publish", "-s", name, "_zacus._tcp", str(port), "room=salle1", "version=3.0"],
            stdout=sys.stderr)

    def goodbye(self, name):
        process = self.told.pop(name)
        process.terminate()
        process.wait()


def main():
    responder = {"zeroconf": Zeroconf, "avahi": Avahi}[sys.argv[1]]()
    boards = Http()
    print("ready", flush=True)
    for line in sys.stdin:
        order, *arguments = json.loads(line)
        obey = getattr(boards, order, None) or getattr(responder, order)
        obey(*arguments)
        print("done", flush=True)


main()
