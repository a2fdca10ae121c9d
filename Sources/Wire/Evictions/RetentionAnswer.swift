/// Answers a `RetentionRequest`, for each of its payloads.
///
/// ```
/// +-----------+-----------+--------------+-------------------------+
/// | zone 32 B | promise 1 | count varint | count × RetentionStatus |   1 … 64, strictly ascending by payload
/// +-----------+-----------+--------------+-------------------------+
/// ```
package struct RetentionAnswer: Hashable, Sendable {
    /// The zone of the request.
    package let zone: ZoneID
    /// Whether the request asked for promises.
    package let isAboutPromises: Bool
    /// The status of each payload of the request, ascending.
    package let statuses: [RetentionStatus]

    /// Makes an answer, and sorts the statuses.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID, isAboutPromises: Bool, statuses: [RetentionStatus]) {
        self.zone = zone
        self.isAboutPromises = isAboutPromises
        self.statuses = statuses.inWireOrder()
    }

    /// Answers a request alike for all of its payloads.
    /// - Parameters:
    ///   - request: The request.
    ///   - word: The answer.
    package init(to request: RetentionRequest, _ word: RetentionStatus.Word) {
        self.init(
            zone: request.zone,
            isAboutPromises: request.asksForPromises,
            statuses: request.payloads.map { RetentionStatus(payload: $0, word: word) }
        )
    }

    /// Whether it answers a request, and nothing else.
    /// - Parameter request: The request.
    /// - Returns: False for an answer about another zone, other payloads, or another question.
    /// - Complexity: O(payloads).
    package func answers(_ request: RetentionRequest) -> Bool {
        zone == request.zone && isAboutPromises == request.asksForPromises
            && statuses.count == request.payloads.count
            && zip(statuses, request.payloads).allSatisfy { $0.payload == $1 }
    }
}

extension RetentionAnswer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.writeBool(isAboutPromises)
        writer.writeList(statuses)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        isAboutPromises = try reader.readBool()
        statuses = try reader.readAscending(
            maximum: Limits.retentionCountMax,
            itemByteCountMin: Digest32.byteCount + 1
        )
        guard !statuses.isEmpty else { throw .invalidValue("statuses") }
        for status in statuses {
            switch status.word {
            case .promised: guard isAboutPromises else { throw .invalidValue("promise") }
            case .held: guard !isAboutPromises else { throw .invalidValue("held") }
            case .absent, .evicting, .refused: break
            }
        }
    }
}
