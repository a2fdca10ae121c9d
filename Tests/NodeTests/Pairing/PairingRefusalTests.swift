import Sync
import Testing

@testable import Node

@Suite struct `A refusal of a ticket` {
    @Test(arguments: [PairingRefusal.used, .expired, .attempts])
    func `sends each side to the device that offers`(refusal: PairingRefusal) {
        #expect(refusal.told.fix.contains("on the other device"))
        #expect(refusal.toldToOffering.fix.contains("on this device"))
        #expect(refusal.toldToOffering.code == refusal.told.code)
    }

    @Test func `that comes of this device's own failing does not speak of the other one's log`() {
        #expect(PairingRefusal.failed.toldToOffering.fix.contains("this daemon's log"))
    }
}
