"""The air between this guest's Bluetooth adapter and the clock.

bumble's emulated controllers are made for tests of bumble itself. What a kernel and BlueZ expect of
an adapter, and what a clock far away does to it, is put right here.
"""

import asyncio

from bumble import hci
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

# Features that the emulation announces but does not carry out: the kernel would rely on them.
NOT_THERE = (
    hci.LeFeatureMask.LL_PRIVACY
    | hci.LeFeatureMask.EXTENDED_SCANNER_FILTER_POLICIES
    | hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
    | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
)
Report = hci.HCI_LE_Advertising_Report_Event.Report
Kind = hci.HCI_LE_Advertising_Report_Event.EventType
RSSI = -58  # dBm, a clock in the same room
ACTIVE = 1  # kind of scan in which scan responses are asked for


class Radio(Controller):
    """A controller that does what it announces."""

    # Called when an active scan has been stopped.
    scan_stopped = staticmethod(lambda: None)

    le_features = Controller.le_features & ~NOT_THERE
    le_acl_data_packet_length = 251
    supported_max_tx_octets = supported_max_rx_octets = 251

    def on_hci_le_create_connection_cancel_command(self, command):
        """Ends the attempt, which the host is told as a connection that did not come about."""
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        ended = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address_type,
            peer_address=pending.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        # After the command's own answer.
        asyncio.get_running_loop().call_soon(self.send_hci_packet, ended)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_le_set_scan_enable_command(self, command):
        was_listening = self.le_scan_enable and self.le_scan_type == ACTIVE
        answer = super().on_hci_le_set_scan_enable_command(command)
        if was_listening and not self.le_scan_enable:
            self.scan_stopped()
        return answer

    def on_advertising_pdu(self, pdu):
        """Reports an advertisement and, in an active scan, the scan response on its own."""
        if self.le_scan_enable:
            self.report(Kind.ADV_IND, pdu.advertiser_address, pdu.data)
            if self.le_scan_type == ACTIVE:
                response = self.link.scan_response(pdu.advertiser_address)
                self.report(Kind.SCAN_RSP, pdu.advertiser_address, response)
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, kind, address, data):
        report = Report(kind, address.address_type, address, data, RSSI)
        self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([report]))

    def lose_links(self):
        """What the supervision timeout does when nothing is heard any more."""
        for connection in list(self.le_connections.values()):
            self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)


class Air(LocalLink):
    """Carries packets between the controllers, unless the clock is out of range."""

    out_of_range = False

    def scan_response(self, address):
        advertiser = self.find_le_controller(address).le_legacy_advertiser
        return bytes(advertiser.scan_response_data)

    def send_advertising_pdu(self, sender_controller, packet):
        if not self.out_of_range:
            super().send_advertising_pdu(sender_controller, packet)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        # A packet to a controller that is gone is lost, not an error.
        if not self.out_of_range and self.find_le_controller(receiver_address):
            super().send_ll_control_pdu(sender_address, receiver_address, packet)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        """Under the address that the link was made with, which need not be the random one."""
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection and receiver and not self.out_of_range:
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, connection.self_address, PhysicalTransport.LE, data
            )
