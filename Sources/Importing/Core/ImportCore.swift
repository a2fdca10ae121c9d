package import FileRecords
package import KairanInterface

/// The decisions of an import: which files are read, which contents are uploaded, and which records are written.
///
/// Several workers ask it, each about the files of a bundle. It holds a file back while another one of the same content is on its way, so that
/// equal files are uploaded once.
package struct ImportCore: Sendable {
    /// The next step for a file that is open.
    package enum OpenStep: Sendable, Hashable {
        /// None: the file is done, or waits for another one.
        case done
        /// Its record is written with another time or mark; the content stays unread.
        case describe
        /// Read all of it into memory, and ask again with the digest.
        case read
        /// Compute the digest, and ask again with it.
        case digest
        /// Upload it, and compute the digest on the way.
        case stream
    }

    /// The next step for a file whose digest is known.
    package enum DigestStep: Sendable, Hashable {
        /// None: the file is done, or waits for another one.
        case done
        /// Its record is written with another time or mark.
        case describe
        /// The record names content that is here.
        case reuse(asset: String)
        /// Compute the digest of a content that is here, which a record states to be that of the file, and ask again with it.
        case check(asset: String, record: String)
        /// Upload the content.
        case upload
    }

    /// The files of a bundle.
    package static let bundleCountMax = 16
    /// The bytes of a bundle of more than one file.
    package static let bundleByteCountMax: UInt64 = 64 << 20
    /// The largest file that is read into memory: once for its digest and its upload.
    package static let memoryByteCountMax: UInt64 = 16 << 20

    private var files: [FoundFile]
    private var known: KnownFiles
    /// Whether files are linked in place of a copy: each is a content of its own, whichever others are equal.
    private let isLinking: Bool
    private var writes = WriteQueue()
    /// The files that are to be looked at, the next one at the end.
    private var queue: [Int] = []
    private var working: Set<Int> = []
    /// The digests of the uploads, and of the contents that are read, which are under way.
    private var uploading: Set<FileDigest> = []
    private var waitingForDigest: [FileDigest: [Int]] = [:]
    /// The files that are uploaded without a digest, by their sizes.
    private var streaming: [UInt64: Int] = [:]
    private var waitingForSize: [UInt64: [Int]] = [:]
    private var retries: [Int] = []
    private var retried: Set<Int> = []
    private var ended: [FileOutcome] = []
    /// The bytes of files that are under way.
    private var readByteCounts: [Int: UInt64] = [:]
    private var done = FolderProgress()
    /// The numbers so far.
    package private(set) var summary = ImportSummary()

    /// Begins an import.
    /// - Parameters:
    ///   - files: The files of the folder.
    ///   - others: Everything in it that cannot be imported.
    ///   - hiddenCount: The hidden files and folders that were passed over.
    ///   - known: The files of the zone.
    ///   - isDryRun: Whether nothing is imported: each file has an outcome at once.
    ///   - isLinking: Whether files are linked in place of a copy.
    package init(
        files: [FoundFile],
        others: [FileOutcome] = [],
        hiddenCount: Int = 0,
        known: KnownFiles,
        isDryRun: Bool = false,
        isLinking: Bool = false
    ) {
        (self.files, self.known) = (files, known)
        self.isLinking = isLinking
        summary.hiddenCount = hiddenCount
        for other in others { end(other) }
        for (index, file) in files.enumerated() {
            if need(file) == .nothing {
                end(outcome(index, .unchanged))
            } else if isDryRun {
                end(outcome(index, known[file.path] == nil ? .new : .unread))
            } else {
                queue.append(index)
                done.fileTotal += 1
                done.byteTotal &+= file.size
            }
        }
        queue.reverse()
    }

    /// A file of the import, as it was when it was looked at last.
    package func file(_ index: Int) -> FoundFile { files[index] }
    /// The record of a file; `nil` for none.
    package func record(_ index: Int) -> KnownFile? { known[files[index].path] }
    /// How far the import is.
    package var progress: FolderProgress {
        var progress = done
        for count in readByteCounts.values { progress.byteCount &+= count }
        progress.byteCount = min(progress.byteCount, progress.byteTotal)
        return progress
    }
    /// Whether writes wait for others.
    package var hasWaitingWrites: Bool { writes.isWaiting }
    /// Whether all is done.
    package var isDone: Bool { isIdle && writes.isEmpty && retries.isEmpty }
    /// Whether no worker is needed before writes are answered.
    private var isIdle: Bool { queue.isEmpty && working.isEmpty }

    /// The outcomes since the last call, in their order.
    package mutating func takeOutcomes() -> [FileOutcome] {
        defer { ended = [] }
        return ended
    }

    // MARK: Reading

    /// The files that a worker looks at next, one after the other; `nil` for none at present.
    package mutating func nextBundle() -> [Int]? {
        if isIdle, writes.isEmpty {
            // Once more, with everything that has happened since.
            queue = retries.reversed()
            retries = []
        }
        var bundle: [Int] = []
        var byteCount: UInt64 = 0
        while bundle.count < Self.bundleCountMax, let index = queue.last {
            guard bundle.isEmpty || byteCount &+ files[index].size <= Self.bundleByteCountMax else { break }
            queue.removeLast()
            working.insert(index)
            byteCount &+= files[index].size
            bundle.append(index)
        }
        return bundle.isEmpty ? nil : bundle
    }

    /// Decides about a file that was opened.
    /// - Parameters:
    ///   - index: The file.
    ///   - file: The file as it is now.
    /// - Returns: The next step.
    package mutating func opened(_ index: Int, _ file: FoundFile) -> OpenStep {
        files[index] = file
        let record = known[file.path]
        let need = need(file)
        guard need != .nothing else {
            end(index, .unchanged)
            return .done
        }
        guard record?.hasConflict != true else {
            end(index, .conflict)
            return .done
        }
        guard need != .description else { return .describe }
        guard !isLinking else { return .digest }
        guard streaming[file.size] == nil else {
            working.remove(index)
            waitingForSize[file.size, default: []].append(index)
            return .done
        }
        guard file.size > Self.memoryByteCountMax else { return .read }
        // Two readings are less than an upload that turns out to be needless.
        guard !known.hasContent(ofSize: file.size), !isOlder(file, than: record) else { return .digest }
        streaming[file.size] = index
        return .stream
    }

    /// Takes note of bytes that were read, for the progress alone.
    package mutating func read(_ index: Int, byteCount: UInt64) {
        guard working.contains(index) else { return }
        readByteCounts[index] = min(byteCount, files[index].size)
    }

    /// Decides about a file whose digest is known.
    ///
    /// A digest that a record states is the word of its writer: it saves an upload only where the content was read here. A record whose own
    /// content is on other devices alone is believed, since each file that was only touched would be uploaded again.
    package mutating func digested(_ index: Int, _ digest: FileDigest) -> DigestStep {
        let file = files[index]
        if let record = known[file.path] {
            if isStated(digest, by: record, of: file) {
                let content = record.content
                guard content?.isMissing == true || content?.isHere == true else { return .describe }
            } else if let time = record.content?.modifiedMilliseconds, isOlder(file, than: record) {
                end(index, .older(than: time))
                return .done
            }
        }
        guard !isLinking else {
            // Of a file that was only touched, the content is compared that its record names.
            guard let record = known[file.path], isStated(digest, by: record, of: file), let content = record.content,
                content.isHere
            else { return .upload }
            return .check(asset: content.asset, record: file.path.recordName)
        }
        let held = known.content(of: digest, size: file.size)
        if let held, held.statedBy == nil { return use(held.asset, for: file, digest) }
        guard uploading.insert(digest).inserted else {
            working.remove(index)
            readByteCounts[index] = nil
            waitingForDigest[digest, default: []].append(index)
            return .done
        }
        guard let held, let record = held.statedBy else { return .upload }
        return .check(asset: held.asset, record: record)
    }

    /// Decides about a file once a content that was said to be its own has been read, after ``DigestStep/check(asset:record:)``.
    /// - Parameters:
    ///   - index: The file.
    ///   - digest: The digest of the file.
    ///   - asset: The id of the content.
    ///   - read: The digest of the content; `nil` where it could not be read.
    /// - Returns: The next step, which is no further check.
    package mutating func checked(
        _ index: Int,
        _ digest: FileDigest,
        asset: String,
        read: FileDigest?
    ) -> DigestStep {
        let file = files[index]
        guard read == digest else {
            // Files of the same bytes wait for the upload that follows.
            known.forget(digest, size: file.size)
            return .upload
        }
        uploaded(index, digest, asset: asset)
        return use(asset, for: file, digest)
    }

    /// The step where a content of this device is that of a file.
    private func use(_ asset: String, for file: FoundFile, _ digest: FileDigest) -> DigestStep {
        guard let record = known[file.path], record.content?.asset == asset,
            isStated(digest, by: record, of: file), record.content?.isMissing == false
        else { return .reuse(asset: asset) }
        return .describe
    }

    /// Whether a record states the digest of a file, as that of content of the file's size.
    private func isStated(_ digest: FileDigest, by record: KnownFile, of file: FoundFile) -> Bool {
        // A digest of content that has another size was left behind by a program that replaced the content.
        record.digest == digest && (record.content.map { $0.size == file.size } ?? true)
    }

    /// Takes note of the end of an upload, after ``DigestStep/upload`` or ``OpenStep/stream``, or of the reading of equal content.
    /// - Parameters:
    ///   - index: The file.
    ///   - digest: The digest of the bytes; `nil` where it is not known because the upload failed.
    ///   - asset: The id of the content; `nil` where the upload failed.
    package mutating func uploaded(_ index: Int, _ digest: FileDigest?, asset: String?) {
        guard !isLinking else { return }
        let size = files[index].size
        if let digest, let asset { known.hold(digest, size: size, asset: asset) }
        if let digest {
            uploading.remove(digest)
            queue += (waitingForDigest.removeValue(forKey: digest) ?? []).reversed()
        }
        guard streaming[size] == index else { return }
        streaming[size] = nil
        queue += (waitingForSize.removeValue(forKey: size) ?? []).reversed()
    }

    // MARK: Writing

    /// Takes a write, the content of which the daemon has.
    /// - Parameters:
    ///   - index: The file.
    ///   - write: The write.
    ///   - digest: The digest of the content.
    ///   - kind: The outcome once the write is saved.
    ///   - now: The time, in milliseconds of any clock.
    package mutating func write(
        _ index: Int,
        _ write: RecordWrite,
        digest: FileDigest?,
        kind: FileOutcome.Kind,
        at now: Int64
    ) {
        working.remove(index)
        writes.add(PendingWrite(index: index, write: write, digest: digest, kind: kind), at: now)
    }

    /// The batch of writes that is due, if one is.
    package mutating func takeBatch(at now: Int64) -> [PendingWrite]? { writes.take(at: now, isIdle: isIdle) }

    /// Takes note of the answer to a batch.
    /// - Parameters:
    ///   - batch: The writes.
    ///   - results: Their outcomes, in order.
    /// - Returns: A problem that all further writes would have too; `nil` where the import goes on.
    package mutating func saved(_ batch: [PendingWrite], _ results: [BatchOutcome.Outcome]) -> Problem? {
        writes.sent()
        var fatal: Problem?
        for (position, pending) in batch.enumerated() {
            guard position < results.count else {
                let detail = "The daemon did not answer about it."
                end(pending.index, .refused(code: "daemon.unexpected_answer", detail: detail, isRetryable: true))
                continue
            }
            switch results[position] {
            case .saved: end(pending.index, pending.kind)
            case .refused(let problem):
                if Self.isFatal(problem.code) { fatal = fatal ?? problem }
                refused(pending, problem)
            }
        }
        return fatal
    }

    /// Whether the refusal of one upload or write says that all others will be refused too.
    ///
    /// A daemon that is busy has been asked with ``Patience`` before.
    package static func isFatal(_ code: String) -> Bool {
        ["zone.", "right.", "access.", "device.", "storage.", "guest."].contains { code.hasPrefix($0) }
            || ["forbidden", "internal", "busy", "not_ready", "request.too_many"].contains(code)
    }

    private mutating func refused(_ pending: PendingWrite, _ problem: Problem) {
        let path = files[pending.index].path
        switch problem.code {
        case "record.version_mismatch":
            // Without the present record, the second attempt is refused as well.
            if problem.current != nil || problem.currentVersion?.isEmpty == true {
                guard known.replace(path, with: problem.current) else { return end(pending.index, .nameTaken) }
            }
            end(pending.index, .refused(problem, isRetryable: true))
        case "asset.unknown":
            if let digest = pending.digest { known.forget(digest, size: files[pending.index].size) }
            end(pending.index, .refused(problem, isRetryable: true))
        default: end(pending.index, .refused(problem, isRetryable: problem.isRetryable))
        }
    }

    /// Takes note that the record of a file is another one than the zone's list said, and has the file tried again at the end.
    /// - Parameters:
    ///   - index: The file.
    ///   - record: The record as it is now; `nil` where there is none.
    package mutating func recordChanged(_ index: Int, _ record: Record?) {
        guard known.replace(files[index].path, with: record) else { return end(index, .nameTaken) }
        end(index, .refused(code: "record.version_mismatch", detail: "Its record has changed.", isRetryable: true))
    }

    // MARK: Ends

    /// Ends a file without a write, or has it tried again at the end.
    package mutating func end(_ index: Int, _ obstacle: Obstacle) {
        working.remove(index)
        readByteCounts[index] = nil
        if obstacle.standing == .temporary, retried.insert(index).inserted {
            retries.append(index)
            return
        }
        let file = files[index]
        count(index)
        end(FileOutcome(source: file.source.text, path: file.path, size: file.size, refusedFor: obstacle))
    }

    /// Takes note that a tool made no metadata, or no thumbnail, of a file.
    package mutating func toolFailed() { summary.toolFailureCount += 1 }

    private mutating func end(_ index: Int, _ kind: FileOutcome.Kind) {
        working.remove(index)
        count(index)
        end(outcome(index, kind))
    }

    private mutating func end(_ outcome: FileOutcome) {
        summary.note(outcome)
        ended.append(outcome)
    }

    private mutating func count(_ index: Int) {
        readByteCounts[index] = nil
        done.fileCount += 1
        done.byteCount &+= files[index].size
    }

    private func outcome(_ index: Int, _ kind: FileOutcome.Kind) -> FileOutcome {
        let file = files[index]
        return FileOutcome(source: file.source.text, path: file.path, kind: kind, size: file.size)
    }

    // MARK: Comparing

    private enum Need { case nothing, description, content }

    private func need(_ file: FoundFile) -> Need {
        // It was moved since it was linked: the record of its former path names it.
        if isLinking, known[file.path] == nil, known.isLinked(file.source) { return .nothing }
        guard let record = known[file.path], let content = record.content, !content.isMissing,
            content.size == file.size, content.modifiedMilliseconds == file.modifiedMilliseconds
        else { return .content }
        return record.isExecutable == file.isExecutable ? .nothing : .description
    }

    private func isOlder(_ file: FoundFile, than record: KnownFile?) -> Bool {
        guard let time = record?.content?.modifiedMilliseconds else { return false }
        return file.modifiedMilliseconds < time
    }
}
