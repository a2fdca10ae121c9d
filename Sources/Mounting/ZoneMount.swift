internal import Glibc
internal import KairanClient
internal import Synchronization

/// A zone as files and folders: answers the calls of the kernel.
///
/// Names, folders and attributes are answered at once, from the tree. Content, and facts that only the daemon knows, are asked for by
/// tasks of ``work()``.
final class ZoneMount: KernelCalls {
    /// The maximum number of files, and of folders, that are open.
    static let openMax = 65_536

    /// The things that a mount is made of.
    struct Settings: Sendable {
        /// The id of the zone.
        var zone: String
        /// Asks for facts.
        var client: DaemonClient
        /// Asks for content; its connections are all for that.
        var content: AssetClient
        /// The time that the daemon waits for bytes that another device has, in milliseconds.
        var waitMilliseconds: Int
        /// Takes a message for the log.
        var report: @Sendable (String) -> Void
        /// The folder for files that are written; `nil` for a mount that is read-only.
        var staging: StagingFolder?
        /// The name of this device, for the names of conflict files.
        var device = ""
        /// The time, in milliseconds since 1970.
        var now: @Sendable () -> Int64 = { 0 }
    }

    /// A file that a program has opened to read it.
    struct OpenFile: Sendable {
        /// The number of the file.
        var id: NodeID
        /// The content, as it was when the file was opened.
        var content: FileContent
        /// Serves its readings.
        var reader: FileReader
    }

    /// The state that the calls of the kernel and the changes of the zone share.
    struct State: Sendable {
        var tree: MountTree
        var files: [UInt64: OpenFile] = [:]
        /// The folders that programs have open.
        var listings = FolderListings()
        var lastHandle: UInt64 = 0
        /// The files that programs write.
        var written = WrittenFiles()
        /// Their bytes.
        var staged: [NodeID: StagingFile] = [:]
        /// Their openings.
        var writing: [UInt64: WritingHandle] = [:]
        /// The tasks that are at work on each of them.
        var workers: [NodeID: Int] = [:]
        /// The folders that are being moved, with all folders beneath them.
        var moving: Set<NodeID> = []
        var own = OwnWrites()
        /// The contents that this mount has uploaded.
        var sent = SentContents()
    }

    /// The work of a task.
    enum Job: Sendable {
        /// Serves the readings of an open file.
        case reader(FileReader)
        /// Asks for the value of an extended attribute.
        case inquiry(Inquiry)
        /// Changes the zone.
        case change(@Sendable () async -> Void)
    }

    /// A question about a file that the daemon answers.
    struct Inquiry: Sendable {
        var attribute: ExtendedAttribute
        var node: NodeID
        var file: MountedFile
        var room: Int
        var answer: PendingAnswer
        /// Ends with the question, or with its interruption.
        var end: AsyncStream<Void>
    }

    let settings: Settings
    let state: Mutex<State>
    let pending = PendingAnswers()
    let places = StreamPlaces()
    let gates = NodeGates()
    let owner: FuseOwner
    let log: FaultLog
    private let jobs: AsyncStream<Job>
    private let begin: AsyncStream<Job>.Continuation

    /// Makes a mount that shows nothing yet.
    init(_ settings: Settings, at time: Int64) {
        self.settings = settings
        state = Mutex(State(tree: MountTree(at: time)))
        log = FaultLog(settings.report)
        owner = FuseOwner(isWritable: settings.staging != nil)
        // One for each open file, and one for each request that waits.
        let countMax = Self.openMax + PendingAnswers.countMax
        (jobs, begin) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(countMax))
    }

    /// Carries out the work that the calls of the kernel leave, until it is cancelled.
    func work() async {
        await withDiscardingTaskGroup { group in
            for await job in jobs {
                group.addTask {
                    switch job {
                    case .reader(let reader): await reader.run()
                    case .inquiry(let inquiry): await self.answer(inquiry)
                    case .change(let work): await work()
                    }
                }
            }
            group.cancelAll()
        }
    }

    /// Leaves work for a task.
    /// - Returns: Whether a task carries it out.
    func leave(_ job: Job) -> Bool {
        guard case .enqueued = begin.yield(job) else { return false }
        return true
    }

    // MARK: Calls of the kernel

    func take(_ notice: KernelNotice) {
        switch notice {
        case .forget(let id, let count): state.withLock { $0.tree.forget(id, count: count) }
        case .release(let handle): release(handle)
        case .releaseFolder(let handle): state.withLock { $0.listings.close(handle) }
        case .interrupted(let number): pending.interrupt(number)
        }
    }

    func take(_ request: KernelRequest, _ answer: PendingAnswer) {
        switch request {
        case .lookUp(let name, let folder): lookUp(name, in: folder, answer)
        case .attributes(let id):
            let attributes = state.withLock { $0.attributes(of: id) }
            answer.send(attributes.map { .attributes($0) } ?? .failure(ESTALE))
        case .open(let id, let flags): open(id, flags: flags, answer)
        case .read(let handle, let offset, let count): read(handle, from: offset, count: count, answer)
        case .openFolder(let id): openFolder(id, answer)
        case .readFolder(let handle, let offset, let room, let isPlus):
            readFolder(handle, from: offset, room: room, isPlus: isPlus, answer)
        case .statistics:
            let (byteCount, fileCount) = state.withLock { ($0.tree.byteCount, $0.tree.fileCount) }
            let free = settings.staging?.freeByteCount ?? 0
            answer.send(.statistics(byteCount: byteCount, fileCount: UInt64(fileCount), freeByteCount: free))
        case .extended(let id, let name, let room): extended(id, name, room: room, answer)
        case .extendedNames(let id, let room):
            let names = state.withLock { $0.tree.file(id) }.map(ExtendedAttribute.names) ?? []
            answer.send(.extended(names, room: room))
        case .write(let handle, let offset, let bytes): write(bytes, to: handle, at: offset, answer)
        case .flush(let handle): flush(handle, answer)
        case .synchronize(let handle): flush(handle, ofAll: true, answer)
        default: change(request, answer)
        }
    }

    private func lookUp(_ name: Name?, in folder: NodeID, _ answer: PendingAnswer) {
        let found = state.withLock { state -> NodeAttributes? in
            guard let name, let id = state.child(name, of: folder) else { return nil }
            // Before the answer is sent: the kernel may forget the number at once.
            state.tree.noteLookup(of: id)
            return state.attributes(of: id)
        }
        guard let found else {
            answer.send(.failure(ENOENT))
            return
        }
        if !answer.send(.entry(found)) { state.withLock { $0.tree.forget(found.id) } }
    }

    private func open(_ id: NodeID, flags: Int32, _ answer: PendingAnswer) {
        let isWritten = state.withLock { $0.written[id] != nil }
        if isWritten || flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0 {
            openToWrite(id, flags: flags, answer)
            return
        }
        let handle = state.withLock { state -> UInt64? in
            guard let file = state.tree.file(id), state.files.count < Self.openMax else { return nil }
            state.lastHandle += 1
            let reader = FileReader(
                state.lastHandle,
                source(of: file.content, at: file.place, as: id),
                places: places,
                pending: pending,
                report: { [log, weak self] error in log.note(error, reading: self?.path(of: id) ?? "") }
            )
            state.files[state.lastHandle] = OpenFile(id: id, content: file.content, reader: reader)
            return state.lastHandle
        }
        guard let handle else {
            let isThere = state.withLock { $0.tree.file(id) != nil }
            answer.send(.failure(isThere ? ENFILE : ESTALE))
            return
        }
        // Where the kernel has dropped the request, it does not close the file.
        if !answer.send(.opened(handle: handle)) { take(.release(handle: handle)) }
    }

    /// The way to the bytes of a content, first at the places that name it now.
    func source(of content: FileContent, at place: FilePlace, as id: NodeID) -> ContentSource {
        ContentSource(
            content: content,
            places: { [weak self] in self?.places(of: content, at: place, as: id) ?? [] },
            assets: settings.content,
            waitMilliseconds: settings.waitMilliseconds
        )
    }

    /// The places at which a content may be read now: those that name it, and at last the one that named it before.
    func places(of content: FileContent, at place: FilePlace, as id: NodeID) -> [Asset.Place] {
        var places = state.withLock { $0.tree.places(of: content, readAs: id) }
        if !places.contains(place) { places.append(place) }
        return places.map { $0.place(in: settings.zone) }
    }

    /// The path of a file, for the log.
    func path(of id: NodeID) -> String { state.withLock { $0.path(of: id) } }

    private func read(_ handle: UInt64, from offset: UInt64, count: Int, _ answer: PendingAnswer) {
        let (opened, staged) = state.withLock { ($0.files[handle], $0.staged(of: handle)) }
        if let staged {
            answer.send(KernelAnswer { try .bytes(staged.read(at: offset, count: count)) })
            return
        }
        guard let file = opened else {
            answer.send(.failure(EBADF))
            return
        }
        let size = file.content.byteCount
        guard offset < size, count > 0 else {
            answer.send(.bytes([]))
            return
        }
        let range = offset..<offset + min(UInt64(count), size - offset)
        guard file.reader.take(FileReader.Reading(range: range, answer: answer)) else { return }
        // There is room for as many jobs as there can be, so that this is the end of the mount.
        if !leave(.reader(file.reader)) {
            file.reader.close()
            pending.finish(answer, .failure(EIO))
        }
    }

    private func extended(_ id: NodeID, _ name: String, room: Int, _ answer: PendingAnswer) {
        guard let attribute = ExtendedAttribute(name: name), let file = state.withLock({ $0.tree.file(id) }) else {
            answer.send(.failure(ENODATA))
            return
        }
        switch attribute.value(of: file) {
        case .none: answer.send(.failure(ENODATA))
        case .known(let value): answer.send(.extended(value, room: room))
        case .asked:
            let (end, finish) = AsyncStream.makeStream(of: Void.self)
            guard pending.add(answer, cancel: { finish.finish() }) else { return }
            let inquiry = Inquiry(attribute: attribute, node: id, file: file, room: room, answer: answer, end: end)
            if !leave(.inquiry(inquiry)) { pending.finish(answer, .failure(EIO)) }
        }
    }
}
