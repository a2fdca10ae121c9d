/// The one registry of purposes.
///
/// Every signature, message authentication code, hash and derived key of the product names its purpose, and the purpose
/// goes into the computation as `length byte ‖ UTF-8 of the raw value`, ahead of the message. So a value made for one
/// purpose can never pass as one made for another, whatever the messages are. Raw values are part of the protocol: they
/// never change and are never used again for something else. A test checks that they are unique and that each case is
/// named by one source file only.
package enum ContextString: String, CaseIterable, Sendable {
    // Identity
    case deviceCertificate = "kairan/v1/device-certificate"
    case accountID = "kairan/v1/account-id"
    case accountEntry = "kairan/v1/account-entry"
    case accountEntryHash = "kairan/v1/account-entry-hash"
    case accountHeads = "kairan/v1/account-heads"
    case actorID = "kairan/v1/actor-id"
    case forkActor = "kairan/v1/fork-actor"
    case incarnation = "kairan/v1/incarnation"
    case fingerprintWords = "kairan/v1/fingerprint-words"
    case sessionWords = "kairan/v1/session-words"
    case checkDigits = "kairan/v1/check-digits"
    case recoveryKey = "kairan/v1/recovery-key"
    case recoveryChannel = "kairan/v1/recovery-channel"
    case recoveryKnock = "kairan/v1/recovery-knock"
    case sentinelTag = "kairan/v1/sentinel-tag"
    case keyFileTag = "kairan/v1/key-file-tag"

    // Secrets at rest
    case sealCredential = "kairan/v1/seal-credential"
    case sealPassphrase = "kairan/v1/seal-passphrase"
    case sealLock = "kairan/v1/seal-lock"
    case sealProof = "kairan/v1/seal-proof"
    case sealTag = "kairan/v1/seal-tag"
    case sealName = "kairan/v1/seal-name"
    case sealedFile = "kairan/v1/sealed-file"
    case sealedFileTag = "kairan/v1/sealed-file-tag"
    case storeSecret = "kairan/v1/store-secret"

    // Secrets of an account
    case fleetKey = "kairan/v1/fleet-key"
    case fleetConfirm = "kairan/v1/fleet-confirm"
    case fleetEnvelope = "kairan/v1/fleet-envelope"
    case zoneChannelKey = "kairan/v1/zone-channel-key"
    case zoneDiscoveryKey = "kairan/v1/zone-discovery-key"
    case accountSalt = "kairan/v1/account-salt"
    case defaultZoneSalt = "kairan/v1/default-zone-salt"
    case zoneTagKey = "kairan/v1/zone-tag-key"
    case discoveryKey = "kairan/v1/discovery-key"
    case discoveryTag = "kairan/v1/discovery-tag"

    // Zones of two accounts
    case pairKey = "kairan/v1/pair-key"
    case pairSecret = "kairan/v1/pair-secret"
    case pairZoneSalt = "kairan/v1/pair-zone-salt"
    case pairZoneTagKey = "kairan/v1/pair-zone-tag-key"
    case pairRight = "kairan/v1/pair-right"

    // Pairing
    case pairingTicket = "kairan/v1/pairing-ticket"
    case ticketIdentifier = "kairan/v1/ticket-identifier"
    case enrolmentToken = "kairan/v1/enrolment-token"
    case enrolmentIdentifier = "kairan/v1/enrolment-identifier"
    case invite = "kairan/v1/invite"
    case inviteIdentifier = "kairan/v1/invite-identifier"
    case inviteDiscovery = "kairan/v1/invite-discovery"
    case inviteCheck = "kairan/v1/invite-check"
    case inviteSlot = "kairan/v1/invite-slot"
    case inviteClaim = "kairan/v1/invite-claim"

    // Channel
    case channelPrologue = "kairan/v1/channel"
    case channelKey = "kairan/v1/channel-key"
    case channelEncapsulation = "kairan/v1/channel-encapsulation"
    case selectorKey = "kairan/v1/selector-key"
    case selectorTag = "kairan/v1/selector"

    // Zones, logs and operations
    case zoneID = "kairan/v1/zone-id"
    case recordTag = "kairan/v1/record-tag"
    case operationRest = "kairan/v1/operation-rest"
    case operationBody = "kairan/v1/operation-body"
    case operationLeaf = "kairan/v1/operation-leaf"
    case treeNode = "kairan/v1/tree-node"
    case treeEmpty = "kairan/v1/tree-empty"
    case treeHead = "kairan/v1/tree-head"
    case treeHeadHash = "kairan/v1/tree-head-hash"
    case controlHeads = "kairan/v1/control-heads"
    case operationHash = "kairan/v1/operation-hash"
    case checkpointHash = "kairan/v1/checkpoint"
    case liveSet = "kairan/v1/live-set"
    case liveSetNode = "kairan/v1/live-set-node"
    case recordVersion = "kairan/v1/record-version"
    case valueHash = "kairan/v1/value-hash"
    case schemaHash = "kairan/v1/schema"

    // Anti-entropy
    case zoneDigest = "kairan/v1/zone-digest"
    case sharedZoneBlinding = "kairan/v1/shared-zone-blinding"
    case zoneStateDigest = "kairan/v1/zone-state-digest"
    case rangeDigest = "kairan/v1/range-digest"

    // Data that programs on this machine keep
    case recordChecksum = "kairan/v1/record-checksum"
    /// The hash by which a statement about a payload is remembered that was found to be false.
    case falseStatement = "kairan/v1/false-statement"
    case changeToken = "kairan/v1/change-token"
    /// The hash that stands for a reader's selection of records in a change token.
    case feedFilter = "kairan/v1/feed-filter"

    // Rights
    case capability = "kairan/v1/capability"
    case capabilityID = "kairan/v1/capability-id"
    case transferConsent = "kairan/v1/transfer-consent"

    // Encryption
    case epochEnvelope = "kairan/v1/epoch-envelope"
    case epochSecret = "kairan/v1/epoch-secret"
    case epochConfirm = "kairan/v1/epoch-confirm"
    case epochChain = "kairan/v1/epoch-chain"
    case triedEnvelope = "kairan/v1/tried-envelope"
    case epochJournal = "kairan/v1/epoch-journal"
    case messageID = "kairan/v1/message-id"
    case messageName = "kairan/v1/message-name"
    case messageSecret = "kairan/v1/message-secret"
    case messageKey = "kairan/v1/message-key"
    case messageCommitment = "kairan/v1/message-commitment"
    case messageEnvelope = "kairan/v1/message-envelope"
    case messageSignature = "kairan/v1/message-signature"
    case receiptsSignature = "kairan/v1/receipts-signature"
    case prekeySignature = "kairan/v1/prekey-signature"
    case prekeyID = "kairan/v1/prekey-id"
    case prekeySeed = "kairan/v1/prekey-seed"
    case activeDevices = "kairan/v1/active-devices"
    case encapsulationKey = "kairan/v1/encapsulation-key"
    case recordKey = "kairan/v1/record-key"
    case recordNonce = "kairan/v1/record-nonce"
    case keyCommitment = "kairan/v1/key-commitment"
    case receipt = "kairan/v1/receipt"

    // Payloads and the relay
    case payloadID = "kairan/v1/payload-id"
    case payloadChunk = "kairan/v1/payload-chunk"
    case payloadSecret = "kairan/v1/payload-secret"
    case payloadKey = "kairan/v1/payload-key"

    // Mailboxes
    case mailboxPair = "kairan/v1/mailbox-pair"
    case mailboxDay = "kairan/v1/mailbox-day"
    case mailboxPut = "kairan/v1/mailbox-put"
    case mailboxGet = "kairan/v1/mailbox-get"
    case mailboxSeal = "kairan/v1/mailbox-seal"
    case mailboxKeyHash = "kairan/v1/mailbox-key-hash"
    case mailboxID = "kairan/v1/mailbox-id"
    case parcelID = "kairan/v1/parcel-id"
    case relayStatic = "kairan/v1/relay-static"
    case relayChannel = "kairan/v1/relay-channel"
    case admissionID = "kairan/v1/admission-id"
    case admissionPass = "kairan/v1/admission-pass"
    case relaysSignature = "kairan/v1/relays-signature"

    /// The number of bytes that the purpose adds in front of a message.
    package var prefixByteCount: Int {
        1 + rawValue.utf8.count
    }

    /// Appends `length byte ‖ UTF-8` to a message under construction.
    /// - Parameter bytes: The message so far.
    package func append(to bytes: inout [UInt8]) {
        let name = rawValue.utf8
        assert(name.count <= Int(UInt8.max), "a purpose's length must fit a byte")
        bytes.append(UInt8(truncatingIfNeeded: name.count))
        bytes.append(contentsOf: name)
    }

    /// Returns the bytes to sign: the purpose followed by a message.
    /// - Parameter message: The message.
    /// - Returns: `length byte ‖ UTF-8 ‖ message`.
    package func prefixed(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prefixByteCount + message.count)
        append(to: &bytes)
        bytes.append(contentsOf: message)
        return bytes
    }

    /// Writes `length byte ‖ UTF-8` to the start of a buffer that has room for ``prefixByteCount`` bytes.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        var index = 1
        unsafe buffer[0] = UInt8(truncatingIfNeeded: rawValue.utf8.count)
        for byte in rawValue.utf8 {
            unsafe buffer[index] = byte
            index += 1
        }
    }
}
