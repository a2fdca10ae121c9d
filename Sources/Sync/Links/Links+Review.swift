import Identity
import Records
package import Wire

// The knowledge of linked files, and the states of their contents that follow from it.
extension Links {
    /// The finding of a look at a linked file.
    package enum Finding: Hashable, Sendable {
        /// It has the content, and these are its facts.
        case sound(FileFacts)
        /// The content is in another file of these facts: it was moved.
        case moved(LinkedPlace, FileFacts)
        /// It has other content; its facts, where they are known.
        case changed(FileFacts?)
        /// Its facts are others than those that were noted, and its content has not been compared yet.
        case ambiguous
        /// It is not there, or cannot be read.
        case missing
    }

    /// Notes the finding about a link.
    /// - Parameters:
    ///   - finding: The finding.
    ///   - link: The link as it was when the file was looked at; one that has changed since stays as it is.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when nothing changed.
    /// - Throws: Any error of the store.
    package func note(
        _ finding: Finding,
        about link: AssetLinkRow,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let known = try transaction.assetLinks(of: link.payload)
        guard known.contains(link) else { return CommitNotice() }
        var new = link
        switch finding {
        case .sound(let facts): (new.facts, new.state) = (facts, .sound)
        case .moved(let place, let facts):
            // Another link of the content may have been made there meanwhile.
            try transaction.removeAssetLink(of: link.payload, at: link.place)
            new = AssetLinkRow(payload: link.payload, place: place, facts: facts)
        case .changed(let facts): (new.facts, new.state) = (facts ?? link.facts, .changed)
        case .ambiguous: new.state = .ambiguous
        case .missing: new.state = .missing
        }
        guard new != link else { return CommitNotice() }
        try transaction.save(new)
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.merge(try review(link.payload, in: &transaction))
        return notice
    }

    /// Looks again at the files of a content of which a chunk could not be read, and gives up those that do not have it.
    ///
    /// A file is given up for its content alone: neither a record nor another link changes.
    /// - Parameters:
    ///   - row: The payload.
    ///   - positions: The positions of chunks that could not be read.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number where each sound file has them.
    /// - Throws: Any error of the store.
    func recheck(
        _ row: PayloadRow,
        at positions: [UInt64],
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard let id = row.id else { return CommitNotice() }
        let files = transaction.linkedFiles
        var notice = CommitNotice()
        for link in try transaction.assetLinks(of: id) where link.state == .sound {
            for position in positions {
                guard let chunk = try transaction.chunk(of: row.number, at: position) else { continue }
                guard let finding = Self.finding(row, chunk, link, files) else { continue }
                notice.merge(try note(finding, about: link, in: &transaction))
                break
            }
        }
        return notice
    }

    /// Whether a file has chunks of a payload, all that are named.
    /// - Parameters:
    ///   - place: The file.
    ///   - facts: The facts about it.
    ///   - payload: The payload.
    ///   - positions: The positions of the chunks; those behind the last chunk are passed over.
    ///   - transaction: The store.
    /// - Returns: Whether it has them; no where the outline is not known here.
    /// - Throws: Any error of the store.
    package func has(
        _ place: LinkedPlace,
        _ facts: FileFacts,
        of payload: PayloadID,
        at positions: Range<UInt64>,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        guard let row = try transaction.payload(payload), try transaction.chunkCounts(of: row.number).all > 0 else {
            return false
        }
        let link = AssetLinkRow(payload: payload, place: place, facts: facts)
        for position in positions {
            guard let chunk = try transaction.chunk(of: row.number, at: position) else { break }
            guard (try? Self.sealed(row, chunk, from: link, transaction.linkedFiles)) != nil else { return false }
        }
        return true
    }

    /// The finding about a file by one chunk; `nil` where it has the chunk.
    private static func finding(
        _ row: PayloadRow,
        _ chunk: ChunkRow,
        _ link: AssetLinkRow,
        _ files: any LinkedFiles
    ) -> Finding? {
        do throws(LinkFault) {
            _ = try sealed(row, chunk, from: link, files)
            return nil
        } catch {
            switch error {
            case .changed, .tooLarge:
                guard let facts = try? files.facts(of: link.place) else { return .missing }
                // Its facts may have changed without its content, as by a change of its name or its owner.
                let present = AssetLinkRow(payload: link.payload, place: link.place, facts: facts)
                guard !facts.agree(with: link.facts), (try? sealed(row, chunk, from: present, files)) != nil else {
                    return .changed(facts)
                }
                return facts.suggestsMove(from: link.facts) ? .sound(facts) : .ambiguous
            case .outside, .tooLong, .badName, .rootUnavailable, .missing, .symbolicLink, .special, .unreadable:
                return .missing
            }
        }
    }

    /// Makes the payload's state that which follows from its links: it is here while one is sound, unless its bytes are stored as well.
    /// - Parameters:
    ///   - payload: The payload.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when the state stays.
    /// - Throws: Any error of the store.
    func review(_ payload: PayloadID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let row = try transaction.payload(payload) else { return CommitNotice() }
        let isSound = try isSound(payload, in: transaction)
        switch row.state {
        case .linked: return isSound ? CommitNotice() : try lose(row, in: &transaction)
        case .remote, .wanted, .evicted: return isSound ? try gain(row, in: &transaction) : CommitNotice()
        case .present, .uploading, .released: return CommitNotice()
        }
    }

    /// The content of a payload is here, in a linked file.
    private func gain(_ known: PayloadRow, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let id = known.id, known.secret != nil, known.keptUntil == nil,
            try transaction.chunkCounts(of: known.number).all > 0,
            // The promise was one to have the bytes: they are fetched all the same.
            try Evictions(committer).promise(of: id, in: transaction) == nil
        else { return CommitNotice() }
        var row = known
        row.state = .linked
        try transaction.save(row)
        let payloads = Payloads(committer)
        try payloads.endFetching(row, as: .waiting, in: &transaction)
        // The stored chunks of a content that was stored as a whole may be the only ones, once its files are gone.
        var note = AssetNote()
        note.wasWhole = try transaction.assetNote(of: id).wasWhole
        try transaction.setAssetNote(note, of: id)
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.hasSettledPayloads = true
        notice.noteAsset(row)
        if row.isAsset { notice.custody.contents.insert(id) }
        if known.state == .wanted { notice.noteUnwanted([id], by: committer.account.account) }
        return notice
    }

    /// The content of a payload is not here any more: it is wanted or remote, as the policies have it.
    ///
    /// The outline stays, so that a file which comes back need not be read from its beginning to its end.
    private func lose(_ known: PayloadRow, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard let id = known.id else { return CommitNotice() }
        var notice = CommitNotice(number: try transaction.nextCommitNumber())
        notice.hasSettledPayloads = true
        notice.hasUnseenAssets = true
        var row = known
        // Only an upload has none, and this one is here no more.
        row.sender = known.sender ?? committer.device
        let rows = AssetRows(committer: committer)
        let hasPart = try transaction.chunkCounts(of: known.number).present > 0
        var note = try transaction.assetNote(of: id)
        if hasPart, note.wasWhole {
            note.isAsked = true
            try transaction.setAssetNote(note, of: id)
        }
        if try transaction.messages(with: id).contains(where: \.needsPayload)
            || (hasPart && (note.isAsked || rows.isFetchedByPolicy(known, in: transaction)))
        {
            row.state = .wanted
            notice.hasWants = true
            try transaction.save(row)
        } else if !known.isAsset {
            // Neither a record nor a message has named it, and no device has it.
            try rows.forget(id, in: &transaction)
            try Payloads(committer).release(known, in: &transaction)
            return notice
        } else if hasPart {
            // As of content that is not fetched any more, no part is kept.
            try rows.giveUp(row, in: &transaction)
        } else {
            row.state = .remote
            try transaction.save(row)
        }
        // The next round looks at the policies of the zones that name it.
        try transaction.markAssetReferencesUnseen(to: id)
        notice.noteAsset(row)
        return notice
    }
}
