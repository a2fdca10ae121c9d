import FileRecords
import KairanClient
import KairanInterface

/// The work on one folder from one input to the next: the core, its bases on the disk, and the times of the driver.
struct FolderLoop {
    /// Something to do beside the loop.
    enum Job: Sendable {
        case decision(FolderDecision)
        case read(FolderReader.Reading)
        /// Wait for so many milliseconds.
        case wait(Int64)
    }

    /// The time for which changes of the folder are gathered before it is read, in milliseconds.
    private static let gatherMilliseconds: Int64 = 200
    /// The time after which all of the folder is read again, in milliseconds.
    private static let wholeMilliseconds: Int64 = 3_600_000
    /// The same where the system has too few watches.
    private static let unwatchedMilliseconds: Int64 = 60_000

    private var core: FolderCore
    private let journal: FolderJournal?
    private let marker: FolderMarker
    private let root: FolderRoot
    private let options: FolderOptions
    private let watch: FolderWatch?

    private var changed: Set<FilePath?> = []
    private var readAt: Int64?
    private var wholeAt: Int64 = 0
    private var retryAt: Int64 = 0
    private var isReading = false
    private var hasRead = false
    /// The time since when the patterns on the disk may be others than those of the core: nothing is decided before they are read.
    private var oldRulesSince: Int64?
    private var tickAt: Int64 = .max
    private var isInterrupted = false
    private var isInStep = false
    private var reports: [FolderReport] = []

    /// Begins.
    init(_ prepared: PreparedFolder, _ options: FolderOptions, watch: FolderWatch?) {
        core = FolderCore(bases: prepared.bases, settings: options.settings)
        (journal, marker, root) = (prepared.journal, prepared.marker, prepared.root)
        (self.options, self.watch) = (options, watch)
    }

    // MARK: Facts

    /// Takes an input in.
    /// - Throws: ``FolderError``, `KairanError`, `CancellationError`, when the work is over.
    mutating func take(_ input: FolderSync.Input, zone: String) throws {
        let now = FolderClock.milliseconds
        switch input {
        case .tick: if tickAt <= now { tickAt = .max }
        case .failed(let error): throw error
        case .done(let decision, let outcome):
            core.finished(decision, outcome, at: now)
            if decision.path.text.isSameName(as: FolderCore.ignoreFileName), case .placed = outcome {
                oldRulesSince = now
            }
        case .read(let listings, let rules, let time, let isWhole): read(listings, rules, at: time, isWhole, now: now)
        case .watch(.changed(let folder)):
            changed.insert(folder)
            readAt = readAt ?? now + Self.gatherMilliseconds
        case .watch(.overflow), .watch(.rootGone): wholeAt = now
        case .zone(let news): try take(news, zone: zone)
        }
    }

    private mutating func take(_ news: ZoneFeed.News, zone: String) throws {
        switch news {
        case .began: core.beganZone()
        case .records(let records): for record in records { core.received(record) }
        case .complete: core.finishedZone()
        case .connected:
            isInterrupted = false
            core.reconnected()
        case .arrived(let asset): core.arrived(asset)
        case .interrupted(let error):
            if !isInterrupted { reports.append(.waiting(error.problem.detail)) }
            isInterrupted = true
        case .gone: throw FolderError.zoneGone(zone)
        case .failed(let error): throw error
        }
    }

    private mutating func read(
        _ listings: [FolderListing],
        _ rules: IgnoreRules,
        at time: Int64,
        _ isWhole: Bool,
        now: Int64
    ) {
        isReading = false
        if let since = oldRulesSince, time >= since { oldRulesSince = nil }
        let isNew = rules != core.rules
        core.setRules(rules)
        for listing in listings { core.listed(listing, at: time) }
        guard isWhole else {
            // Folders that were ignored have not been read.
            if isNew { wholeAt = now }
            return
        }
        if !hasRead { core.finishedReading(at: time) }
        hasRead = true
        wholeAt = now + (watch?.isIncomplete == true ? Self.unwatchedMilliseconds : Self.wholeMilliseconds)
        guard now >= retryAt else { return }
        core.retryAll()
        retryAt = now + Self.wholeMilliseconds
    }

    // MARK: Work

    /// The jobs that are to be begun now.
    /// - Parameter tell: Takes the reports.
    /// - Returns: The jobs.
    /// - Throws: ``FolderError``, the errors of the closure.
    mutating func jobs(_ tell: (FolderReport) throws -> Void) throws -> [Job] {
        let now = FolderClock.milliseconds
        var jobs: [Job] = []
        if let reading = reading(at: now) { jobs.append(.read(reading)) }
        // Without the daemon everything would fail, one by one.
        if oldRulesSince == nil, !isInterrupted { jobs += try decisions(at: now).map { .decision($0) } }
        reports += core.takeNews().map { .news($0) }
        for report in reports { try tell(report) }
        reports = []
        if case .massDeletion(let gone, let known) = core.halt {
            throw FolderError.massDeletion(root.path, gone: gone, known: known)
        }
        let times = [isInterrupted ? nil : core.wakeAt, changed.isEmpty ? nil : readAt, watch == nil ? nil : wholeAt]
            .compactMap(\.self)
        if !isReading, let wake = times.min(), wake < tickAt {
            tickAt = wake
            jobs.append(.wait(max(wake - now, 1)))
        }
        return jobs
    }

    private mutating func reading(at now: Int64) -> FolderReader.Reading? {
        guard !isReading else { return nil }
        let isWhole = !hasRead || oldRulesSince != nil || (watch != nil && now >= wholeAt)
        guard isWhole || !changed.isEmpty && now >= readAt ?? .max else { return nil }
        isReading = true
        defer { (changed, readAt) = ([], nil) }
        return FolderReader.Reading(
            folders: isWhole ? [nil] : changed,
            isWhole: isWhole,
            clearsParts: !hasRead,
            marker: journal == nil ? nil : marker,
            time: now
        )
    }

    /// Decides, and keeps the bases on the disk before anything is done that depends on them.
    private mutating func decisions(at now: Int64) throws(FolderError) -> [FolderDecision] {
        var jobs: [FolderDecision] = []
        var decisions = core.decide(at: now)
        while !decisions.isEmpty {
            if options.isDryRun {
                for decision in decisions {
                    if decision.isReading { jobs.append(decision) } else { show(decision, at: now) }
                }
            } else {
                jobs += decisions
            }
            decisions = options.isDryRun ? core.decide(at: now) : []
        }
        let changes = core.takeChanges()
        if !changes.isEmpty {
            let isUrgent = jobs.contains { if case .keepBoth = $0 { true } else { false } }
            try journal?.append(changes, isUrgent: isUrgent, of: core.allBases)
        }
        return jobs
    }

    private mutating func show(_ decision: FolderDecision, at now: Int64) {
        reports.append(.planned(decision))
        core.finished(decision, .skipped, at: now)
    }

    // MARK: The end

    /// Tells that both sides are in step.
    /// - Parameter tell: Takes the reports.
    /// - Returns: The outcome, if the run ends now.
    /// - Throws: The errors of the closure.
    mutating func summary(_ tell: (FolderReport) throws -> Void) throws -> FolderSummary? {
        guard !core.hasWork, !isReading, oldRulesSince == nil, !isInterrupted, changed.isEmpty else {
            isInStep = false
            return nil
        }
        let failed = core.failedPaths
        if !isInStep, !options.isDryRun { try tell(.inStep(files: core.inStepCount, failed: failed.count)) }
        isInStep = true
        guard options.isOnce || options.isDryRun else { return nil }
        return FolderSummary(
            inStep: core.inStepCount,
            failed: Dictionary(failed.map { ($0.key.text, $0.value) }) { first, _ in first }
        )
    }
}

extension FolderDecision {
    /// Whether it only reads, here and from the daemon, and fetches no content.
    fileprivate var isReading: Bool {
        switch self {
        case .hash, .look, .ask: true
        default: false
        }
    }
}
