package import Wire

/// A promotion of a schema in a zone's control log.
package struct SchemaPromotion: Hashable, Sendable {
    /// Names the control operation.
    package let hash: Hash
    /// The encoded schema that it promotes, as received.
    package let bytes: [UInt8]

    /// A promotion.
    /// - Parameters: as the properties of the same names.
    package init(hash: Hash, bytes: [UInt8]) {
        self.hash = hash
        self.bytes = bytes
    }
}

/// The schema in force in a zone.
///
/// ```
/// +---------------------------+--------------+
/// | promotions: count × hash  | Schema bytes |   hashes strictly ascending, then the one that comes last
/// +---------------------------+--------------+
/// ```
package struct ProductionSchema: Hashable, Sendable {
    /// The join of all effective promotions.
    package let schema: Schema
    /// The effective promotions, ascending.
    package let promotions: [Hash]
    /// The last of them in the order of the control log; a write names it if its author had seen it.
    package let last: Hash

    /// Joins each promotion to those before it; a promotion that cannot be joined is ignored.
    ///
    /// `nil` when no promotion is effective: the zone is in development. The result depends only on the set of
    /// promotions, because the order of the control log follows from that set. The join only adds and loosens, so whatever some of the promotions allow is
    /// allowed by all.
    /// - Parameter promotions: The promotions by authors with the right to promote, in the order of the control log.
    /// - Complexity: O(promotions · fields).
    package init?(_ promotions: [SchemaPromotion]) {
        var schema: Schema?
        var counting: [Hash] = []
        for promotion in promotions {
            // A promotion has no effect if a later version wrote it, if it is malformed, or if it cannot be joined.
            guard let said = try? Schema(decoding: promotion.bytes),
                let joined = try? schema?.joined(with: said) ?? said
            else { continue }
            schema = joined
            counting.append(promotion.hash)
        }
        guard let schema, let last = counting.last else { return nil }
        self.schema = schema
        self.promotions = Set(counting).sorted()
        self.last = last
    }

    /// The same promotions, with another schema in place of their join.
    /// - Parameter schema: The schema.
    /// - Returns: The schema that a modified daemon uses.
    package func pretending(_ schema: Schema) -> ProductionSchema {
        ProductionSchema(schema: schema, promotions: promotions, last: last)
    }

    private init(schema: Schema, promotions: [Hash], last: Hash) {
        self.schema = schema
        self.promotions = promotions
        self.last = last
    }

    /// Whether a promotion is effective.
    /// - Complexity: O(log promotions).
    package func has(_ promotion: Hash) -> Bool {
        let index = promotions.partitioningIndex { $0 < promotion }
        return index < promotions.count && promotions[index] == promotion
    }

    /// Finds the rules that an operation breaks, if it names an effective promotion.
    ///
    /// An operation that names no promotion, or an ineffective one, breaks nothing: its author could not know the
    /// schema.
    /// - Parameters:
    ///   - header: The operation's header.
    ///   - body: Its body.
    ///   - actor: Its author.
    /// - Returns: The violations; empty when the operation is allowed.
    package func violations(of header: OperationHeader, _ body: RecordBody, by actor: ActorID) -> [SchemaViolation] {
        guard has(header.controlHeads) else { return [] }
        return schema.violations(of: body, by: Dot(actor: actor, counter: header.counter))
    }
}

extension ProductionSchema: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(promotions)
        writer.write(last)
        writer.write(schema)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        promotions = try reader.readList(maximum: Int(Int32.max), itemByteCountMin: 32)
        last = Hash(try reader.readDigest())
        schema = try Schema(from: &reader)
    }
}
