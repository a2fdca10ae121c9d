import Capabilities
import Identity
import Sync
import Testing
import Wire

@Suite struct `The order of zones by whose keys accounts meet` {
    /// Alice has the device 0, Bob 1; returns a device's present authority for a zone.
    private func authority(_ genesis: ZoneGenesis, on index: Int, in street: Street) throws -> ZoneAuthority? {
        try street.authorities(on: index).first { $0.zone == ZoneID(genesis) }
    }

    @Test func `public zones come first, and at most seven of them`() throws {
        var street = try Street([1, 1])
        let account = street.homes[0].log.account
        var order = DoorOrder()
        let shared = try street.makeZone(0)
        try street.share(shared, .read, with: 1, by: 0)
        let isNew = order.update(try #require(try authority(shared, on: 0, in: street)), own: account)
        #expect(isNew)
        for number in 1...9 {
            let genesis = try street.makeZone(0)
            try street.publish(genesis, world: .read, by: 0)
            let isNew = order.update(try #require(try authority(genesis, on: 0, in: street)), own: account)
            #expect(isNew)
            #expect(order.open.count == number)
        }
        #expect(order.announced.prefix(7).allSatisfy(order.open.contains))
        #expect(order.announced.count == 8 && order.announced.last == ZoneID(shared), "others keep their places")
        #expect(order.accepted.count == 10, "whoever has a link gets in, announced or not")
    }

    @Test func `a zone that is public no more loses its door, and gets it again`() throws {
        var street = try Street([1, 1])
        let account = street.homes[0].log.account
        var order = DoorOrder()
        let genesis = try street.makeZone(0)
        try street.publish(genesis, world: .read, by: 0)
        let open = try #require(try authority(genesis, on: 0, in: street))
        var isNew = order.update(open, own: account)
        #expect(isNew && order.all == [ZoneID(genesis)])
        let notice = try street.change(0) {
            try ZoneSharing($0).setPublicAccess(.none, zone: ZoneID(genesis), in: &$2)
        }
        let closed = try #require(notice.authorities.last)
        isNew = order.update(closed, own: account)
        #expect(isNew && order.all.isEmpty && order.open.isEmpty)
        isNew = order.update(closed, own: account)
        #expect(!isNew, "nothing is different")
        isNew = order.update(open, own: account)
        #expect(isNew && order.open == [ZoneID(genesis)])
        order.remove(ZoneID(genesis), own: account)
        #expect(order.all.isEmpty && order.open.isEmpty && order.parties.isEmpty)
    }

    @Test func `an account whose right is raised so that it may read is a new reader`() throws {
        var street = try Street([1, 1])
        let genesis = try street.makeZone(0)
        try street.share(genesis, .relay, with: 1, by: 0)
        var order = DoorOrder()
        let first = order.hasNewReader(try #require(try authority(genesis, on: 0, in: street)))
        #expect(first, "the owner")
        let again = order.hasNewReader(try #require(try authority(genesis, on: 0, in: street)))
        #expect(!again)
        try street.share(genesis, .write, with: 1, by: 0)
        let raised = order.hasNewReader(try #require(try authority(genesis, on: 0, in: street)))
        #expect(raised)
    }

    @Test func `a reader of a zone dials by its key, and is not announced`() throws {
        var street = try Street([1, 1])
        let genesis = try street.makeZone(0)
        let zone = ZoneID(genesis)
        try street.publish(genesis, world: .read, by: 0)
        try street.open(genesis, of: 0, on: 1)
        try street.connect(1, 0)
        try street.pass()
        var order = DoorOrder()
        let account = street.homes[1].log.account
        let isNew = order.update(try #require(try authority(genesis, on: 1, in: street)), own: account)
        #expect(isNew)
        #expect(Array(order.covering) == [zone] && order.announced.isEmpty && order.accepted.isEmpty)
        #expect(order.zones(reaching: genesis.owner) == [zone] && order.open.isEmpty)
    }
}
