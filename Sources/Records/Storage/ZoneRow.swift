package import Wire

/// The replica's row of one zone.
package struct ZoneRow: Equatable, Sendable {
    /// The zone's identifier, the hash of the genesis' identity part.
    package var id: ZoneID
    /// The genesis that the identifier commits to.
    package var genesis: ZoneGenesis
    /// The 32-byte key under which record names become record tags.
    package var tagKey: [UInt8]
    /// Whether the zone takes writes.
    package var state: ZoneState
    /// The checkpoint this replica has adopted, nil when none.
    package var adopted: Checkpoint?
    /// Checkpoints seen in the control lane that are not adopted yet, oldest first, bounded.
    package var candidates: [Checkpoint]
    /// For each actor the greatest data-lane size that an effective checkpoint covers: a cut never goes below it.
    package var watermark: VersionVector
    /// The right under which the local account writes here; zero for the account that the genesis names.
    package var right: Hash
    /// The role in which it speaks by that right; `.unknown` while it has none.
    package var role: LogRole
    /// The encoded ``ProductionSchema`` in force; empty in development.
    ///
    /// Read where records are written or applied, and not with each reading of the row.
    package var production: [UInt8]
    /// True while items were accepted as gaps under a checkpoint whose live set is not proven complete here.
    package var isUnverified: Bool
    /// The key under which records are written here.
    package var sealing: ZoneSealing
    /// Whether a reader of the zone lacks a key, or there is none to write under.
    package var needsKeys: Bool
    /// The time when the present key has been in use for long, in milliseconds since 1970 by this machine's clock;
    /// `UInt64.max` for never.
    package var keysDue: UInt64
    /// The devices that were active when that was decided, as one hash.
    package var keysStamp: Hash

    /// A zone row; only the identity is required.
    package init(
        id: ZoneID,
        genesis: ZoneGenesis,
        tagKey: [UInt8],
        state: ZoneState = .live,
        adopted: Checkpoint? = nil,
        candidates: [Checkpoint] = [],
        watermark: VersionVector = VersionVector(),
        right: Hash = .zero,
        role: LogRole = .owner,
        production: [UInt8] = [],
        isUnverified: Bool = false,
        sealing: ZoneSealing = .waiting,
        needsKeys: Bool = false,
        keysDue: UInt64 = .max,
        keysStamp: Hash = .zero
    ) {
        self.id = id
        self.genesis = genesis
        self.tagKey = tagKey
        self.state = state
        self.adopted = adopted
        self.candidates = candidates
        self.watermark = watermark
        self.right = right
        self.role = role
        self.production = production
        self.isUnverified = isUnverified
        self.sealing = sealing
        self.needsKeys = needsKeys
        self.keysDue = keysDue
        self.keysStamp = keysStamp
    }
}

extension ZoneRow {
    /// The schema that records of the zone have to match.
    /// - Returns: Nil in development.
    /// - Throws: `ReplicaError.damaged`.
    /// - Complexity: O(fields).
    package func productionSchema() throws -> ProductionSchema? {
        guard !production.isEmpty else { return nil }
        do {
            return try ProductionSchema(decoding: production)
        } catch {
            throw ReplicaError.damaged("the schema of a zone cannot be decoded: \(error)")
        }
    }
}
