import FuzzKit
import Identity
import Records
import Wire

@testable import Sync

// The prefixes from which programs of `sync-core` begin.
extension SyncProgram {
    /// The prefixes from which programs begin, so that a short one gets far: nothing; an account and zones; sessions
    /// beside them; and peers that have reported their log sizes.
    private static let beginnings: [SyncProgram] = {
        let account: [UInt8] = [0, 2, 0, 0, 0, 0, 0, 0]
        let zones: [UInt8] = [
            0, 3, 0, 2, 0, 0, 9, 1, 0, 20, 0, 3, 1, 2, 0, 0, 9, 2, 0, 20, 0, 3, 2, 2, 0, 0, 9, 3, 0, 20,
        ]
        let sessions: [UInt8] = [1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0, 0]
        // Session, plain, well-formed, zone state, zone; two logs: device, lane, size, root, history; reply, unchanged.
        var states: [UInt8] = []
        for session in UInt8(0)..<3 {
            for zone in UInt8(0)..<2 {
                states += [1, 5, 0, session, 0, 4, zone, 2]
                states += [session + 1, 0, 40, 40, 0, 4, 0, 12, 12, 0, 1, 0]
            }
        }
        let runs: [UInt8] = [1, 10, 0, 0, 0, 9, 9, 0, 9, 1, 10, 0, 0, 0, 9, 9, 0, 9]
        let connected = account + zones + sessions
        let all: [[UInt8]] = [[], account + zones, connected, connected + states + runs]
        return all.map { bytes in
            var program = SyncProgram(FuzzInput(bytes), .plain)
            while !program.isOver { program.step() }
            return program
        }
    }()

    /// The same among several accounts: they are known, with their rights; each of their devices is connected, and
    /// has reported its log sizes.
    private static let sharedBeginnings: [SyncProgram] = {
        var known = SyncProgram(FuzzInput([]), .shared)
        for place in known.world.accounts.indices { known.accountKnown(place) }
        for place in known.world.zones.indices {
            for actor in known.world.actors {
                for lane in Lane.allCases {
                    known.sizes[LogKey(zone: known.world.zones[place], actor: actor, lane: lane)] = 20
                }
            }
            if let first = known.world.moments[place].first { known.feed(.rightsChanged(first)) }
            known.feed(.zoneChanged(known.snapshot(known.world.zones[place]), before: [:]))
        }
        // The first resolution of a zone may be that no other account takes part yet.
        known.feed(.rightsChanged(known.world.moments[1][1]))
        var connected = known
        for device in 1..<connected.world.devices.count { connected.connect(device, isInitiator: device % 2 == 1) }
        var told = connected
        for (id, session) in told.core.sessions.sorted(by: { $0.key < $1.key }) {
            for snapshot in told.core.zones.values.sorted(by: { $0.zone < $1.zone })
            where told.core.replication.rights.access(to: snapshot.zone, for: session) == .everything {
                let state = ZoneState(
                    zone: snapshot.zone,
                    genesis: snapshot.genesis,
                    logs: [],
                    checkpoint: .zero,
                    wantsReply: false
                )
                told.feed(.received(id, .zoneState(state), byteCount: 100))
            }
        }
        return [known, connected, told]
    }()

    /// The program of an input, whose first byte selects its beginning.
    static func begun(_ input: FuzzInput) -> SyncProgram {
        var input = input
        let choice = Int(input.byte())
        let beginnings = choice < 128 ? beginnings : sharedBeginnings
        var program = beginnings[choice % beginnings.count]
        program.input = input
        return program
    }

    /// The log of an account is known, and all its devices are active.
    private mutating func accountKnown(_ place: Int) {
        let devices = zip(world.devices, world.accountPlaces).filter { $0.1 == place }.map { ($0.0, Standing.active) }
        let standings = Dictionary(uniqueKeysWithValues: devices)
        let heads = [SyncWorld.root(UInt64(place))]
        feed(
            place == 0
                ? .accountChanged(heads: heads, standings: standings)
                : .contactChanged(world.accounts[place], heads: heads, standings: standings)
        )
    }
}
