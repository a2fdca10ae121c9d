import Sync
import Testing
import Wire

@Suite struct `The memory of other devices` {
    @Test func `keeps the highest version of the channel that was spoken with each, in any order`() throws {
        var household = try Household(1)
        let spoken: [[ChannelVersion]] = [
            [.classical], [.classical, .hybrid], [.hybrid, .classical], [.classical, .hybrid, .classical],
        ]
        for (number, versions) in spoken.enumerated() {
            let device = Sample.device(number + 2)
            for version in versions {
                try PeerMemory(household.committer(0)).spoke(version, with: device, in: &household.homes[0].store)
            }
            try PeerMemory(household.committer(0)).met(device, at: "a:1", in: &household.homes[0].store)
        }
        let peers = try household.homes[0].store.peers()
        #expect(peers.map(\.channelVersion) == [.classical, .hybrid, .hybrid, .hybrid])
    }
}
