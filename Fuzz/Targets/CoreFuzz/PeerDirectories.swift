import FuzzKit
import Sync
import TestSupport
import Wire

/// The choice of peers to dial and of the session to keep where there are two: sightings, withdrawals, dials and
/// sessions in any order.
let peerDirectoryTarget = FuzzTarget(
    "peer-directory",
    inputByteCountMax: 64,
    run: { bytes in
        var program = DirectoryProgram.begun(FuzzInput(bytes))
        while !program.isOver { program.step() }
        program.checkAddresses()
    },
    seeds: {
        var generator = SeededGenerator(seed: 14)
        return (0..<60).map { _ in generator.bytes(20 + generator.below(45)) }
    }
)

private struct DirectoryProgram {
    private var input: FuzzInput
    private var directory: PeerDirectory<UInt8>
    private var arbiter: SessionArbiter
    private var random = SeededGenerator(seed: 15)
    private var dials: [UInt64] = []
    private var dialCount: UInt64 = 0
    private var sessions: [DeviceID: UInt64] = [:]
    private var now: UInt64 = 1_000

    /// The prefixes from which programs begin, so that a short one gets far: nothing, many candidates, and sessions
    /// with some of them.
    private static let beginnings: [DirectoryProgram] = {
        var sightings: [UInt8] = []
        for number in UInt8(0)..<14 { sightings += [0, 0, number % 6, 0, number, number * 3] }
        var others = sightings
        for number in UInt8(0)..<6 {
            others += [1, 1, number, 4, 3, number, number + 60, number + 80, 1, 1, number, 3, number + 30]
        }
        var sessions = others
        for number in UInt8(1)..<5 { sessions += [9, 9, number, 6, 1, 0, 9, 9, number, 9, 0, number, 1] }
        let all: [[UInt8]] = [[], sightings, others, sessions]
        return all.map { bytes in
            var program = DirectoryProgram(FuzzInput(bytes))
            while !program.isOver { program.step() }
            return program
        }
    }()

    /// The program of an input, whose first byte selects its beginning.
    static func begun(_ input: FuzzInput) -> DirectoryProgram {
        var input = input
        var program = beginnings[input.below(beginnings.count)]
        program.input = input
        return program
    }

    init(_ input: FuzzInput) {
        self.input = input
        directory = PeerDirectory(localDevice: Self.device(0))
        arbiter = SessionArbiter(localDevice: Self.device(0))
    }

    var isOver: Bool { input.isEmpty }

    static func device(_ number: Int) -> DeviceID {
        DeviceID(Digest32(word0: UInt64(number % 6), word1: 0, word2: 0, word3: 0))
    }

    mutating func step() {
        now += UInt64(input.byte()) * UInt64(input.byte())
        let device = Self.device(input.below(6))
        switch input.below(12) {
        case 0, 1: directory.sighted(instance: "i\(input.below(24))", address: input.byte())
        case 2: directory.withdrawn(instance: "i\(input.below(24))")
        case 3: directory.addStatic(input.byte() % 16)
        case 4: directory.remember(device, addresses: input.bytes(input.below(12)))
        case 5: directory.forget(device)
        case 6: directory.connected(dial: takeDial(), device: device)
        case 7: directory.disconnected(device: device, at: now, random: &random)
        case 8: if let dial = takeDial() { directory.dialFailed(dial, at: now, random: &random) }
        case 10: if let dial = takeDial() { directory.dialIgnored(dial, at: now, random: &random) }
        case 11: pin(device, input.bool() ? .hybrid : .classical)
        // A session with this device itself is refused before the arbiter.
        default: if device != Self.device(0) { arbitrate(device) }
        }
        dial()
    }

    /// Checks the laws that hold at any time.
    ///
    /// It runs only at the end of a program, since each prefix of a program is a program, too.
    func checkAddresses() {
        for device in 0..<6 {
            demand(directory.addresses(of: Self.device(device)).count <= 300 * 8, "addresses are bounded")
        }
        let addresses = directory.searchAddresses
        demand(Set(addresses).count == addresses.count, "no address is searched twice")
    }

    private mutating func dial() {
        var next = dialCount
        let begun = directory.due(at: now) {
            next += 1
            return next
        }
        dialCount = next
        demand(Set(begun.map(\.address)).count == begun.count, "no address is dialled twice at once")
        dials += begun.map(\.dial)
        demand(dials.count <= PeerDirectory<UInt8>.dialCountMax, "no more dials than may be")
        if let due = directory.nextDue { demand(due > now, "a driver would spin") }
    }

    private mutating func pin(_ device: DeviceID, _ version: ChannelVersion) {
        let before = directory.pins[device]
        let isHigher = directory.pin(device, at: version)
        demand(isHigher == (before.map { $0 < version } ?? true), "what rises is said to")
        demand(directory.pins[device] == max(before ?? version, version), "a pin never goes down")
    }

    private mutating func takeDial() -> UInt64? {
        guard !dials.isEmpty, input.below(4) > 0 else { return nil }
        return dials.remove(at: input.below(dials.count))
    }

    private mutating func arbitrate(_ device: DeviceID) {
        if input.bool(), let connection = sessions[device] {
            demand(arbiter.closed(connection, device: device), "the session that stood is closed once")
            sessions[device] = nil
            return
        }
        dialCount += 1
        let entry = SessionArbiter.Entry(
            connection: dialCount,
            boot: [input.byte() % 2],
            isInitiator: input.bool(),
            openedAt: now
        )
        switch arbiter.opened(entry, device: device) {
        case .keep:
            demand(sessions[device] == nil, "a session beside another one does not just stand")
            sessions[device] = entry.connection
        case .replace(let connection):
            demand(sessions[device] == connection, "the older session is the one that is replaced")
            sessions[device] = entry.connection
        case .refuse:
            demand(sessions[device] != nil, "only a second session is refused")
        }
    }
}
