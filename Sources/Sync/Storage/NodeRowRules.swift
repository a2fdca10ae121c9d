package import Wire

// The rules that the node's own rows keep, each once: see `Validated`, and `Sources/Records/Storage/RowRules.swift` for the rows of the
// replica.

extension MessageRow: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(state != .fetching || payload != nil, "a message waits for its payload only where it has one")
        try mustHold(state != .hidden || !owesAnswer, "a hidden message is answered when it is shown again")
        try mustHold(!isSettled || state == .sent, "recipients answer a message that was sent from here")
        try mustHold(heldSince == nil || state == .sent, "a message that was sent from here is sealed again")
        try mustHold(!isSettled || payload != nil, "a message is settled so that no relay need keep its payload")
    }

    package func checkCostlyRules() throws(BrokenRule) {
        try mustHold(id == MessageID(zone: zone, tag: tag), "the id of a message follows from its zone and its record")
    }
}

extension PayloadRow: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(
            PayloadOutline.chunkByteCounts.contains(chunkByteCount),
            "the chunks of a payload have one of the two sizes"
        )
        try mustHold(isAsset || unnamedSince == nil, "only an asset is named by records")
        switch state {
        case .uploading:
            try mustHold(id == nil, "the id of a payload is known at its end")
            try mustHold(secret != nil, "a payload that is uploaded here is sealed here")
        case .wanted, .present:
            try mustHold(id != nil, "a payload that is wanted or present has an id")
            try mustHold(secret != nil || keptUntil != nil, "a payload that cannot be opened here is kept for others")
        case .remote, .evicted:
            try mustHold(id != nil, "a payload that a record names has an id")
            try mustHold(isAsset, "only an asset is known and not wanted")
            try mustHold(secret != nil, "a payload that can be fetched on request can be opened here")
        case .linked:
            try mustHold(id != nil, "a payload in a linked file has an id")
            try mustHold(secret != nil, "a payload in a linked file is sealed again here")
            try mustHold(keptUntil == nil, "a payload that is kept for others is stored")
        case .released:
            try mustHold(id == nil, "a payload that was released is found by its number alone")
        }
    }
}

extension PostedParcelRow: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(stretches.allSatisfy { $0.from < $0.size }, "each stretch in a parcel has leaves")
    }

    package func checkCostlyRules() throws(BrokenRule) {
        var ends: [LogKey: UInt64] = [:]
        for stretch in stretches {
            try mustHold(stretch.from >= ends[stretch.key] ?? 0, "the stretches of a log in a parcel follow each other")
            ends[stretch.key] = stretch.size
        }
    }
}
