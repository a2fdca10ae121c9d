import Identity
import Sync

// The beginning and the end of a process.
extension SimulatedNode {
    /// Switches the machine on and begins a process; does nothing while one runs.
    ///
    /// A start that fails, such as with a full disk, is tried again after a second, as a service manager does.
    ///
    /// - Throws: ``Violation``.
    package func start() throws {
        guard process == nil else { return }
        isPowered = true
        life += 1
        startedAt = simulation.now
        simulation.statistics.starts += 1
        simulation.trace.note(.start, at: simulation.now, node: index, UInt64(life))
        do {
            let process = try NodeProcess(node: self)
            hasStarted = true
            self.process = process
            try process.begin()
            try simulation.judge.started(self, in: simulation)
            try process.settle()
        } catch is PowerLoss {
            try crash()
        } catch is StorageError {
            try endProcess(because: "failed start")
            simulation.schedule(after: 1_000, for: self) { try $0.start() }
        }
    }

    /// Cuts the machine's power now.
    /// - Throws: ``Violation``.
    package func crash() throws {
        let before = disk.database
        simulation.statistics.crashes += 1
        end(isTold: false)
        isPowered = false
        disk.losePower(at: simulation.now, using: &random)
        simulation.trace.note(.crash, at: simulation.now, node: index)
        try simulation.judge.ended(self, in: simulation)
        if before != nil {
            try simulation.judge.storeReplaced(on: self, by: disk.database, because: "crash", in: simulation)
        }
    }

    /// Kills the process: the machine stays on, and its kernel hangs up for it.
    /// - Throws: ``Violation``.
    package func kill() throws {
        guard isRunning else { return }
        simulation.statistics.crashes += 1
        simulation.trace.note(.crash, at: simulation.now, node: index, 1)
        try endProcess(because: "kill")
    }

    /// Ends the process in order: it says goodbye, and commits the waiting jobs.
    /// - Throws: ``Violation``.
    package func stop() throws {
        guard let process else { return }
        simulation.trace.note(.stop, at: simulation.now, node: index)
        do {
            try process.sayGoodbye()
            try process.commits.finishWaiting()
        } catch is PowerLoss {
            try crash()
            return
        }
        simulation.discovery.withdraw(self, isTold: true)
        try endProcess(because: "stop")
    }

    /// Ends the process in order and begins another.
    /// - Throws: ``Violation``.
    package func restart() throws {
        try stop()
        try start()
    }

    /// Ends the process while the machine stays on.
    ///
    /// A transaction whose sync had failed may be in the store from now on, with keys that the next process has not
    /// opened yet.
    private func endProcess(because reason: String) throws {
        end(isTold: true)
        disk.endProcess()
        try simulation.judge.ended(self, in: simulation)
        try simulation.judge.storeReplaced(on: self, by: disk.database, because: reason, in: simulation)
    }

    /// Drops the process and its pending events.
    private func end(isTold: Bool) {
        if process != nil { simulation.statistics.nodeMilliseconds += simulation.now - startedAt }
        simulation.discovery.withdraw(self, isTold: false)
        simulation.network.processEnded(node: index, life: life, isTold: isTold)
        process = nil
        life += 1
    }

    // MARK: Backups

    /// Rolls the disk back to an image while no process runs.
    /// - Throws: ``Violation``.
    package func restore(_ image: DiskImage, parts: DiskImage.Parts) throws {
        if isRunning { try crash() }
        disk.restore(image, parts: parts)
        try simulation.judge.storeReplaced(on: self, by: disk.database, because: "restored \(parts)", in: simulation)
    }

    /// Loses the database while no process runs.
    /// - Throws: ``Violation``.
    package func loseDatabase() throws {
        if isRunning { try crash() }
        disk.loseDatabase()
        try simulation.judge.storeReplaced(on: self, by: nil, because: "lost", in: simulation)
    }
}
