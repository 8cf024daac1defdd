"""A clock of the Pingping family on the air of this guest.

Speaks the family's GATT table: a picture characteristic that takes write requests and notifies, and
a command characteristic that takes write requests of at most 128 bytes. The name comes in the scan
response only. What happens is written to the log, one line each:

    up / down REASON      a link, and its end with the reason as HCI tells it
    asleep                it does not advertise any more for a while
    W main|alt HEX        a write that was taken
    E main|alt HEX        one that was refused: its length, or a kind that is not permitted

Orders come as lines on a local port and are answered with a line:

    lose-link N      go out of range at the Nth picture packet from now, and come back later
    doze S           fall asleep for S seconds when the next active scan ends, so that the clock
                     was heard and is not there any more when it is to be connected
"""

import asyncio
import sys

from bumble import att
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.transport import open_transport

from radio import Air, Radio

NAME = 'NRF-325608'
ADDRESS = 'D5:34:12:32:56:08'
ADAPTER = '00:1A:7D:DA:71:13/P'
MAIN_SERVICE = '13187b10-eba9-a3ba-044e-83d3217d9a38'
MAIN = '4b646063-6264-f3a7-8941-e65356ea82fe'
ALT_SERVICE = '00001f10-0000-1000-8000-00805f9b34fb'
ALT = '00001f1f-0000-1000-8000-00805f9b34fb'
# Device information and software update, which the siblings announce.
SERVICES = b'\x0a\x18\xf5\xfe'
LONGEST = {'main': 500, 'alt': 128}
MTU = 512
ADVERTISING_INTERVAL = 200  # ms; the real one takes 1000
REFRESH = 2.5  # s; a real panel takes 15 to 25
SUPERVISION = 2.0  # s without a packet until both ends take the link for lost; 6 s on a real clock
AWAY = 4.0  # s out of range altogether
ORDERS = ('127.0.0.1', 3256)


class Clock:
    def __init__(self, device, air, radios, log):
        self.device, self.air, self.radios, self.log = device, air, radios, log
        self.refreshing = None
        self.packets_left = None
        write = Characteristic.Properties.WRITE
        notify = Characteristic.Properties.NOTIFY
        self.main = self.characteristic(MAIN, write | notify, 'main')
        alt = self.characteristic(ALT, write, 'alt')
        device.add_services([Service(MAIN_SERVICE, [self.main]), Service(ALT_SERVICE, [alt])])
        server = device.gatt_server
        server.max_mtu = MTU
        # Neither characteristic permits these; bumble would carry them out.
        server.on_att_write_command = lambda bearer, request: self.refused('write-command', request)
        server.on_att_prepare_write_request = self.refuse_long_write
        device.on(Device.EVENT_CONNECTION, self.connected)

    def characteristic(self, uuid, properties, channel):
        async def write(connection, value):
            self.write(channel, value)

        permissions = Characteristic.Permissions.WRITEABLE
        return Characteristic(uuid, properties, permissions, CharacteristicValue(write=write))

    def note(self, line):
        self.log.write(line + '\n')
        self.log.flush()

    def refused(self, kind, request):
        self.note(f'E {kind} {bytes(request).hex()}')

    def refuse_long_write(self, bearer, request):
        self.refused('long-write', request)
        self.device.gatt_server.send_response(
            bearer,
            att.ATT_Error_Response(
                request_opcode_in_error=request.op_code,
                attribute_handle_in_error=request.attribute_handle,
                error_code=att.ATT_REQUEST_NOT_SUPPORTED_ERROR,
            ),
        )

    def connected(self, connection):
        self.note('up')
        connection.on(connection.EVENT_DISCONNECTION, self.disconnected)

    def disconnected(self, reason):
        self.note(f'down {reason:#04x}')

    def write(self, channel, value):
        if len(value) > LONGEST[channel]:
            self.note(f'E {channel} {value.hex()}')
            raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        self.note(f'W {channel} {value.hex()}')
        if channel == 'alt':
            if value == b'\xe2':
                self.refresh()
        elif value[:1] in (b'\x03', b'\x04'):
            self.take_packet(value)
        elif value[:1] in (b'\x01', b'\xaa'):
            self.refresh()

    def take_packet(self, value):
        if self.packets_left is not None:
            self.packets_left -= 1
            if self.packets_left <= 0:
                self.packets_left = None
                # At once, so that the answer to this packet is not heard either.
                self.air.out_of_range = True
                asyncio.ensure_future(self.come_back())
                return
        self.notify(b'\x00\x00' if self.refreshing else len(value).to_bytes(2, 'big'))

    def refresh(self):
        if not self.refreshing:
            self.refreshing = asyncio.get_running_loop().call_later(REFRESH, self.refreshed)

    def refreshed(self):
        self.refreshing = None
        self.notify(b'\xff\xff')

    def notify(self, value):
        asyncio.ensure_future(self.device.notify_subscribers(self.main, value))

    async def come_back(self):
        """From out of range; both ends have given the link up meanwhile."""
        await asyncio.sleep(SUPERVISION)
        for radio in self.radios:
            radio.lose_links()
        await asyncio.sleep(AWAY - SUPERVISION)
        self.air.out_of_range = False

    def doze(self, seconds):
        self.radios[0].scan_stopped = lambda: None
        self.note('asleep')
        advertiser = self.radios[1].le_legacy_advertiser
        advertiser.stop()
        asyncio.get_running_loop().call_later(seconds, advertiser.start)

    async def obey(self, reader, writer):
        while line := (await reader.readline()).decode().split():
            answer = 'ok'
            match line:
                case ['lose-link', packets]:
                    self.packets_left = int(packets)
                case ['doze', seconds]:
                    self.radios[0].scan_stopped = lambda: self.doze(float(seconds))
                case _:
                    answer = 'unknown order'
            writer.write(f'{answer}\n'.encode())
            await writer.drain()
        writer.close()


async def main(log_path):
    air = Air()
    kernel = await open_transport('vhci')
    adapter = Radio(
        'adapter', host_source=kernel.source, host_sink=kernel.sink, link=air,
        public_address=Address(ADAPTER),
    )
    radio = Radio('clock', link=air)
    device = Device(name=NAME, address=Address(ADDRESS), host=Host(radio, radio))
    clock = Clock(device, air, [adapter, radio], open(log_path, 'w'))
    device.advertising_data = bytes(
        AdvertisingData(
            [
                (AdvertisingData.FLAGS, b'\x06'),
                (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, SERVICES),
            ]
        )
    )
    device.scan_response_data = bytes(
        AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, NAME.encode())])
    )
    await device.power_on()
    await device.start_advertising(
        auto_restart=True,
        advertising_interval_min=ADVERTISING_INTERVAL,
        advertising_interval_max=ADVERTISING_INTERVAL,
    )
    server = await asyncio.start_server(clock.obey, *ORDERS)
    clock.note('ready')
    print('ready', flush=True)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
