#!/bin/sh
# Runs inside the guest: the system bus, BlueZ, the clock, then the driver, whose words go to the
# console. Arguments: this folder, the folder with Python, the driver and its arguments.
here=$1 pieces=$2
shift 2
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
record=/dev/vport0p1

"$pieces/venv/bin/python" "$here/peripheral.py" "$record" >/run/peripheral.log 2>&1 &
clock=$!
mkdir -p /run/dbus /var/lib/bluetooth
dbus-daemon --system --fork
# Started again when it ends, as a system does.
while :; do
    /usr/libexec/bluetooth/bluetoothd --nodetach
    sleep 1
done >/run/bluetoothd.log 2>&1 &

# A second each at most; the emulated computer takes about ten.
tries=60
until grep -q ready /run/peripheral.log && bluetoothctl show | grep -q 'Powered: yes'; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] && kill -0 $clock || break
    sleep 0.5
done

echo "guest: ready after $(cut -d' ' -f1 /proc/uptime) s"
"$@" 2>/run/driver.log
code=$?
echo "guest: driver ended with $code after $(cut -d' ' -f1 /proc/uptime) s"
tail -n 100 /run/driver.log
if [ $code -ne 0 ]; then
    tail -n 40 /run/peripheral.log /run/bluetoothd.log
fi
