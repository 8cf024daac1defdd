"""A small window from which one file can be dragged: the other side of a real XDND drop."""

import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402


def main(path: str) -> None:
    window = Gtk.Window(title="drag source")
    window.set_default_size(120, 120)
    area = Gtk.EventBox()
    area.add(Gtk.Label(label="drag me"))
    window.add(area)
    area.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
    area.drag_source_add_uri_targets()
    uri = pathlib.Path(path).resolve().as_uri()
    area.connect("drag-data-get", lambda _area, _context, data, _info, _time: data.set_uris([uri]))
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    window.move(0, 0)
    Gtk.main()


main(sys.argv[1])
