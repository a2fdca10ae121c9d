internal import FoundationEssentials
internal import KairanClient

/// One mount, from the reading of the zone to the unmounting.
struct MountRun: Sendable {
    /// The time in which the daemon begins to answer, beside the time for content that another device has.
    private static let answerTime = Duration.seconds(120)

    /// The zone: its id or unique name.
    var zone: String
    /// The folder, which exists and is empty.
    var folder: String
    /// Whether other users may read the files.
    var allowsOthers = false
    /// Whether files may be executed.
    var allowsExecution = false
    /// The time that the daemon waits for bytes that another device has, in milliseconds.
    var waitMilliseconds = 30_000
    /// The folder for files that are written; `nil` for a mount that is read-only.
    var staging: StagingFolder?
    /// The name of this device, for the names of conflict files.
    var device = ""
    /// Asks for records and facts.
    var client: DaemonClient
    /// Asks for content.
    var content: DaemonClient
    /// Takes a message for the log.
    var report: @Sendable (String) -> Void

    /// Mounts, and returns when the folder is unmounted again.
    /// - Parameters:
    ///   - stop: Returns when the mount is to end.
    ///   - mounting: Called right before the folder is mounted.
    ///   - ready: Called when the folder shows the zone.
    /// - Throws: `KairanError`, ``MountError``, ``WriteFault``, ``ZoneEnd``, `CancellationError`.
    func run(
        until stop: @escaping @Sendable () async -> Void,
        mounting: () -> Void = {},
        ready: (Zone) -> Void
    ) async throws {
        let zone = try await client.zone(zone)
        let staging = try stagingFolder(for: zone)
        let now: @Sendable () -> Int64 = { Date.now.roundedMilliseconds }
        let mount = ZoneMount(
            ZoneMount.Settings(
                zone: zone.zone,
                client: client.limited(to: Self.answerTime),
                content: content.limited(to: Self.answerTime + .milliseconds(waitMilliseconds)).assets,
                waitMilliseconds: waitMilliseconds,
                report: report,
                staging: staging,
                device: device,
                now: now
            ),
            at: now()
        )
        let feed = ZoneFeed(zone: zone, client: client, mount: mount, now: now)
        let token = try await feed.load()
        mounting()
        let fuse = try FuseMount(
            folder,
            MountOptions(
                source: MountOptions.source(name: zone.name, id: zone.zone),
                allowsOthers: allowsOthers,
                allowsExecution: allowsExecution,
                isWritable: staging != nil
            ),
            mount
        )
        ready(zone)
        let result: Result<Void, any Error>
        do {
            try await Self.serve(fuse, mount, feed, since: token, until: stop)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        mount.pending.failAll()
        await mount.storeAll()
        mount.keepAll()
        await fuse.end()
        try result.get()
    }

    /// The folder for files that are written, made where it is missing; `nil` where nothing may be written.
    private func stagingFolder(for zone: Zone) throws -> StagingFolder? {
        guard let staging else { return nil }
        guard [.write, .admin].contains(zone.rights) else {
            report("This account may not write in \(zone.name), so the folder is read-only.")
            return nil
        }
        do {
            try staging.make()
        } catch {
            report("The folder \(staging.path) for written files cannot be made, or is not yours.")
            throw error
        }
        let count = staging.unsavedCount
        if count > 0 {
            report(
                "\(count) \(count == 1 ? "file" : "files") of earlier mounts in \(staging.unsaved) could not be stored."
            )
        }
        return staging
    }

    /// Serves the mount until one of its parts ends.
    ///
    /// The calls of the kernel are served until all other parts have ended. News to the kernel wait there for a folder that a program looks
    /// into, and that program waits for an answer: without one, neither would end.
    private static func serve(
        _ fuse: FuseMount,
        _ mount: ZoneMount,
        _ feed: ZoneFeed,
        since token: String,
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // It ends with the calls of the kernel: all tasks end before the mount is freed.
            defer {
                fuse.stop()
                group.cancelAll()
            }
            group.addTask { try await fuse.serve() }
            group.addTask { try await follow(fuse, mount, feed, since: token, until: stop) }
            try await group.next()
        }
    }

    /// Does everything beside the calls of the kernel, until one part of it ends.
    private static func follow(
        _ fuse: FuseMount,
        _ mount: ZoneMount,
        _ feed: ZoneFeed,
        since token: String,
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await mount.work() }
            group.addTask { try await feed.follow(since: token) { await fuse.expire($0) } }
            group.addTask { await stop() }
            try await group.next()
        }
    }
}
