extension DaemonClient {
    /// A snapshot of the position, then events as they happen.
    /// - Parameters:
    ///   - zone: The zone; `nil` for all zones.
    ///   - container: Only events in the zones of this container; `nil` for all.
    ///   - type: Only changes of the records of this type; `nil` for all.
    ///   - condition: Only changes of records that meet this predicate, or no longer meet it; needs a type.
    ///   - token: Resume behind this change token; `nil` from now.
    ///   - showsInternal: Whether the events include changes of records that daemons write by themselves.
    /// - Returns: The events; iterate once.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func events(
        zone: String? = nil,
        container: String? = nil,
        type: String? = nil,
        where condition: String? = nil,
        since token: String? = nil,
        showsInternal: Bool = false
    ) async throws -> EventSequence {
        let documents = try await eventDocuments(
            zone: zone,
            container: container,
            type: type,
            where: condition,
            since: token,
            showsInternal: showsInternal
        )
        return EventSequence(documents: documents)
    }

    /// Events as JSON texts.
    package func eventDocuments(
        zone: String?,
        container: String? = nil,
        type: String? = nil,
        where condition: String? = nil,
        since token: String?,
        showsInternal: Bool = false
    ) async throws -> EventDocuments {
        let request = DaemonRequest(
            .get,
            (zone.map { ["zones", $0] } ?? []) + ["events"],
            query: [
                ("container", container), ("type", type), ("where", condition), ("since", token),
                DaemonRequest.internalRecords(showsInternal),
            ]
        )
        return try await EventDocuments(lines: LineSequence(body: open(request, accept: "text/event-stream")))
    }

    /// All records of a zone, in the order of their names.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - showsInternal: Whether the export includes records that daemons write by themselves; no import takes them.
    /// - Returns: The records; iterate once.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func export(zone: String, showsInternal: Bool = false) async throws -> ExportSequence {
        try await ExportSequence(lines: exportLines(zone: zone, showsInternal: showsInternal))
    }

    /// All records of a zone as lines of JSON.
    package func exportLines(zone: String, showsInternal: Bool = false) async throws -> LineSequence {
        let request = DaemonRequest(
            .get,
            ["zones", zone, "export"],
            query: [DaemonRequest.internalRecords(showsInternal)]
        )
        return try await LineSequence(body: open(request, accept: "application/x-ndjson"))
    }

    /// Saves any number of records, each independently.
    ///
    /// The client does not buffer the writes: it sends them as they arrive, and the daemon confirms them as it saves
    /// them.
    /// - Parameters:
    ///   - writes: The writes.
    ///   - zone: The zone to write to.
    /// - Returns: The progress; iterate to the end to be sure that all writes were saved.
    /// - Throws: ``KairanError``, `CancellationError`.
    public func importRecords<Writes: AsyncSequence & Sendable>(
        _ writes: Writes,
        into zone: String
    ) async throws -> ImportSequence where Writes.Element == RecordWrite {
        let lines = writes.map { write in write.json.encoded + [UInt8(ascii: "\n")] }
        return try await ImportSequence(lines: openImport(lines, into: zone))
    }

    /// Saves lines of JSON, in pieces as they come.
    package func importDocuments<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        into zone: String
    ) async throws -> ImportDocuments where Pieces.Element == [UInt8] {
        try await ImportDocuments(lines: openImport(pieces, into: zone))
    }

    private func openImport<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        into zone: String
    ) async throws -> LineSequence where Pieces.Element == [UInt8] {
        let body = try await open(
            DaemonRequest(.post, ["zones", zone, "import"]),
            upload: Upload(
                body: .pieces(pieces),
                contentType: "application/x-ndjson"
            ),
            accept: "application/x-ndjson"
        )
        return LineSequence(body: body)
    }
}
