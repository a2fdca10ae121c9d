import FileRecords
import KairanInterface
import TestSupport
import Testing

@testable import Folders

/// The laws of folders, in histories at random: each seed is one, which a failure names.
@Suite struct `Two devices with a folder each` {
    /// The things that go wrong in a history, besides failures and crashes.
    enum Mishap: CaseIterable {
        case none, lostStates, lostReplicas, powerCuts
    }

    private static let paths = ["a", "b", "c", "d/e", "d/f", "notes.txt"].map { path($0) }

    /// One step of a history.
    private static func step(_ world: ModelWorld, _ mishap: Mishap) {
        let device = world.pick(world.devices)
        let other = world.devices[device === world.devices[0] ? 1 : 0]
        world.now += world.pick([0, 10, 300, 1_500])
        switch Int.random(in: 0..<1_000, using: &world.random) {
        case ..<220: use(device, world)
        case ..<370: device.scan()
        case ..<600: device.decide()
        case ..<800:
            device.performOne()
            if world.chance(70) { device.answerOne() }
        case ..<840: device.answerOne()
        case ..<900: world.meet(device, other, isPartial: true)
        case ..<950: device.deliver(world.chance(50) ? 1 : .max)
        case ..<980: device.crash(losesTail: mishap == .powerCuts)
        case ..<985 where mishap == .lostStates: device.loseState()
        case ..<990 where mishap == .lostReplicas:
            // The daemon that lost its store gets it back from the other one.
            world.meet(device, other, isPartial: false)
            device.loseReplica()
        default:
            world.now += 600_000
            device.core.retryAll()
        }
    }

    private static func use(_ device: ModelDevice, _ world: ModelWorld) {
        let present = device.files.keys.sorted()
        let action = Int.random(in: 0..<9, using: &world.random)
        let content = world.chance(85) ? "content \(world.newID())" : world.pick(["same", "the same again"])
        guard !present.isEmpty, action > 1 else { return device.write(world.pick(paths), content) }
        let chosen = world.pick(present)
        switch action {
        case 2, 3: device.write(chosen, content)
        case 4: device.remove(chosen)
        case 5: device.move(chosen, to: world.pick(paths))
        case 6: if let file = device.files[chosen] { device.write(world.pick(paths), file.content) }
        case 7: device.touch(chosen, marks: false)
        default: device.touch(chosen, marks: true)
        }
    }

    /// Lets both devices meet and work until nothing is left to do.
    private static func settle(_ world: ModelWorld) -> Bool {
        world.failurePercent = 0
        for round in 0..<60 {
            var isBusy = false
            world.meet(world.devices[0], world.devices[1], isPartial: false)
            world.meet(world.devices[1], world.devices[0], isPartial: false)
            for device in world.devices {
                device.deliver()
                device.scan()
                while !device.answers.isEmpty { device.answerOne() }
                var turns = 0
                while device.core.hasWork || !device.core.failedPaths.isEmpty || turns == 0 {
                    turns += 1
                    guard turns < 300 else { return false }
                    device.decide()
                    while !device.open.isEmpty {
                        isBusy = true
                        device.performOne()
                        device.answerOne()
                    }
                    device.deliver()
                    world.now += device.core.failedPaths.isEmpty ? 1_100 : 600_000
                }
            }
            if !isBusy, round > 2 { return true }
        }
        return false
    }

    @Test(arguments: Mishap.allCases)
    func `lose no content and end with equal folders`(mishap: Mishap) throws {
        for seed in 0..<UInt64(150) {
            let world = ModelWorld(seed: seed)
            for _ in 0..<400 { Self.step(world, mishap) }
            let isSettled = Self.settle(world)
            let story = "seed \(seed) with \(mishap):\n" + world.history.joined(separator: "\n")
            try #require(isSettled, "\(story)")

            let folders = world.devices.map { device in device.files.mapValues(\.content) }
            try #require(folders[0] == folders[1], "\(story)")
            let marks = world.devices.map { device in device.files.mapValues(\.identity.isExecutable) }
            try #require(marks[0] == marks[1], "\(story)")

            for device in world.devices {
                var shown: [FilePath: String] = [:]
                for path in device.replica.operations.keys {
                    let record = device.replica.record(path)
                    guard let file = FileRecord(record) else { continue }
                    shown[path] = world.contents[file.content.asset]
                }
                try #require(shown == folders[0], "\(story)")
            }
            // Each version is in the folders, in a trash, or was replaced or deleted by a user who had it.
            let held = Set(folders[0].values).union(world.devices.flatMap(\.trash))
            let lost = world.written.subtracting(held).subtracting(world.superseded)
            try #require(lost.isEmpty, "\(lost), \(story)")
        }
    }

    @Test func `that have been in step for long have no conflict files`() throws {
        let world = ModelWorld(seed: 1, failurePercent: 0)
        for (number, path) in Self.paths.enumerated() {
            world.devices[number % 2].write(path, "content \(number)")
            try #require(Self.settle(world))
        }
        for device in world.devices { #expect(Set(device.files.keys) == Set(Self.paths)) }
    }
}
