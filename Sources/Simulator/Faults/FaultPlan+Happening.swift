import Identity
import Sync
import Wire

// The effects of each kind of fault.
extension FaultPlan {
    /// Injects a fault.
    /// - Parameter kind: The kind of fault.
    /// - Throws: ``Violation``.
    package func happen(_ kind: FaultKind) throws {
        simulation.note(kind)
        switch kind {
        case .crash, .crashInCommit, .restart: try stopSomething(kind)
        case .diskFull, .ioError: breakDisk(kind)
        case .partition, .oneWay, .flapping, .clogging, .slowLinks: disturbLinks(kind)
        case .silentDeath, .cut, .truncation, .bitFlip, .replay: try disturbConnection(kind)
        case .clockJump: turnClock()
        case .roaming:
            // Without mDNS no machine could ever learn the new address.
            if simulation.options.hasDiscovery, let node = anyNode() { simulation.network.move(node.index) }
        case .restoreDatabase: try restore(.database)
        case .restoreWithSentinel: try restore(.databaseAndSentinel)
        case .restoreWhole: try restore(.files)
        case .loseDatabase: try loseDatabase()
        case .clone: try cloneSomething()
        case .discoveryLies: try lie()
        case .addition: try addDevice()
        case .removal: try removeDevice()
        case .byzantine: try misbehave()
        }
    }

    // MARK: Processes

    private func stopSomething(_ kind: FaultKind) throws {
        guard let node = anyNode() else { return }
        switch kind {
        case .crash:
            if random.chance(0.3) { try node.kill() } else { try node.crash() }
            startLater(node, after: anyWhile())
        case .crashInCommit:
            node.disk.faults.operationsUntilPowerLoss = random.index(below: 12)
            // Whenever the power is lost, the machine is switched on again later.
            for moment in 1...6 { startLater(node, after: UInt64(moment) * 15_000 + random.number(0...5_000)) }
        default:
            try node.stop()
            startLater(node, after: random.chance(0.5) ? 0 : anyWhile())
        }
    }

    // MARK: Disks

    private func breakDisk(_ kind: FaultKind) {
        guard let node = anyNode() else { return }
        guard kind == .ioError else {
            node.disk.faults.isFull = true
            later(anyWhile()) { node.disk.faults.isFull = false }
            return
        }
        switch random.index(below: 4) {
        case 0: node.disk.faults.failingWrites += 1 + random.index(below: 3)
        case 1: node.disk.faults.failingSyncs += 1 + random.index(below: 3)
        case 2: node.disk.faults.failingReads += 1 + random.index(below: 3)
        default: node.disk.faults.operationsUntilFailure = random.index(below: 20)
        }
    }

    // MARK: Links

    private func disturbLinks(_ kind: FaultKind) {
        guard let (from, to) = anyPair() else { return }
        let network = simulation.network
        switch kind {
        case .partition:
            let parts = simulation.nodes.map { _ in random.index(below: 2) }
            network.divide(parts, isFatal: random.chance(0.3))
            later(anyWhile()) { [self] in network.divide(simulation.nodes.map { _ in 0 }, isFatal: false) }
        case .oneWay:
            network.block(from: from, to: to)
            later(anyWhile()) { network.unblock(from: from, to: to) }
        case .flapping:
            flap(from, to, times: 4 + random.index(below: 12), period: random.number(200...20_000))
        case .clogging:
            network.clog(from: from, to: to, until: simulation.now + anyWhile())
        default:
            let delay = Double(random.number(50...3_000))
            network.set(from: from, to: to, delayMilliseconds: delay, bytesPerMillisecond: random.number(1...200))
            later(anyWhile()) { network.set(from: from, to: to, delayMilliseconds: nil, bytesPerMillisecond: nil) }
        }
    }

    private func flap(_ from: Int, _ to: Int, times: Int, period: UInt64) {
        let network = simulation.network
        network.block(from: from, to: to)
        network.block(from: to, to: from)
        later(period) { [self] in
            network.unblock(from: from, to: to)
            network.unblock(from: to, to: from)
            if times > 1 { later(period) { [self] in flap(from, to, times: times - 1, period: period) } }
        }
    }

    // MARK: Connections

    private func disturbConnection(_ kind: FaultKind) throws {
        guard let connection = anyConnection() else { return }
        let network = simulation.network
        let side = random.index(below: 2)
        switch kind {
        case .silentDeath: network.silence(connection)
        case .cut: network.cut(connection, noticed: [random.chance(0.6), random.chance(0.6)])
        case .truncation: network.truncate(connection, side: side)
        case .bitFlip: network.flip(connection, side: side)
        default: try network.replay(connection)
        }
    }

    // MARK: Clocks

    private func turnClock() {
        guard let node = random.element(of: simulation.nodes) else { return }
        let year: Int64 = 31_557_600_000
        let offset: Int64
        switch random.index(below: 4) {
        case 0: offset = Int64(random.number(0...600_000)) - 300_000
        case 1: offset = 0
        default: offset = Int64(random.number(0...UInt64(60 * year))) - 30 * year
        }
        node.setWallOffset(offset)
        later(anyWhile() * 4) { node.setWallOffset(0) }
    }

    // MARK: Backups

    private func restore(_ parts: DiskImage.Parts) throws {
        guard let node = random.element(of: simulation.nodes), let image = random.element(of: images[node.index] ?? [])
        else { return }
        // A rollback that nothing on the machine shows causes a fork; that is a scenario of its own.
        guard node.disk.isNoticed(image, parts: parts) else { return }
        // The preceding power loss may leave a sentinel that is no younger than the image.
        if node.isRunning { try node.crash() }
        if node.disk.isNoticed(image, parts: parts) { try node.restore(image, parts: parts) }
        startLater(node, after: anyWhile())
    }

    private func loseDatabase() throws {
        // With only one machine, everything that it alone holds would be lost, and nothing would be learnt.
        guard simulation.nodes.count > 1, let node = random.element(of: simulation.nodes) else { return }
        try node.loseDatabase()
        startLater(node, after: anyWhile())
    }

    private func cloneSomething() throws {
        guard !hasCloned, let original = random.element(of: simulation.nodes), original.store != nil else { return }
        hasCloned = true
        let copy = try simulation.copy(original, parts: .files)
        startLater(copy, after: anyWhile())
    }

    // MARK: mDNS

    private func lie() throws {
        guard let node = anyNode() else { return }
        let discovery = simulation.discovery
        let names = discovery.instanceNames
        switch random.index(below: 5) {
        case 0:
            try discovery.flood(node, count: 1 + random.index(below: 400))
        case 1:
            if let name = random.element(of: names) { discovery.withdraw(instance: name, for: node) }
        case 2:
            // Its own address, under another machine's name.
            let name = random.element(of: names) ?? "stranger"
            try discovery.lie(to: node, instance: name, address: simulation.network.address(of: node.index))
        case 3:
            let other = random.index(below: simulation.nodes.count)
            let name = random.element(of: names) ?? "stranger"
            try discovery.lie(to: node, instance: name, address: simulation.network.address(of: other))
        default:
            try discovery.lie(to: node, instance: "stranger", address: NetworkAddress(host: 1 << 19))
        }
    }

    // MARK: Membership

    private func addDevice() throws {
        guard simulation.nodes.count < simulation.options.nodeCount + 3, let host = anyNode(),
            simulation.isInAnAccount(host), let log = host.process?.log
        else { return }
        let name = "addition-\(additions)"
        additions += 1
        let device = try FoundedAccount.Device(
            name: name,
            isSealed: simulation.options.isSealed,
            random: &random
        )
        let newcomer = try simulation.insert(device: device, log: log, keyring: host.keyring)
        do {
            try host.admit(newcomer)
        } catch is StorageError {
            // Its host could not write the account log: the device was not let in, and the machine stays off.
            kept.insert(newcomer.index)
            return
        } catch is AccountError {
            kept.insert(newcomer.index)
            return
        }
        startLater(newcomer, after: anyWhile())
    }

    private func removeDevice() throws {
        guard let host = anyNode(), let log = host.process?.log,
            log.state.activeDevices.count > (simulation.hasSeveralAccounts ? 1 : 2),
            let device = random.element(of: log.state.activeDevices.filter { $0 != host.device })
        else { return }
        do {
            try host.remove(device)
            removals += 1
        } catch is StorageError {
            // The account log could not be written: no device was removed.
        } catch is AccountError {
            // Another device has removed it, or it is the only full device left.
        }
    }

    private func misbehave() throws {
        // The same member every time, and never the first: one must be honest.
        let index = byzantineNode ?? 1 + random.index(below: max(simulation.nodes.count - 1, 1))
        guard index < simulation.nodes.count else { return }
        byzantineNode = index
        let member = ByzantineMember(
            simulation.nodes[index],
            judge: simulation.judge as? Judge,
            seed: random.next()
        )
        try member?.commit(random.element(of: misdeeds) ?? .garbage)
    }
}
