import Identity
import Sync
import Wire

// The changes that people make; `NodeProcess.changeAccount` reports them to the core.
extension ProcessAccount {
    /// Adds a device.
    func admit(_ certificate: VerifiedCertificate) throws {
        try add(certificate, as: .full, using: &node.random)
    }

    /// Removes a device; the next rulings of the zones state how many of its operations are
    /// effective.
    func remove(_ device: DeviceID) throws {
        var made: FleetKey?
        try change { log in
            let entry = try log.removingDevice(device, witness: node.device, signer: .device(keys), using: &node.random)
            _ = try log.insert(entry.encoded)
            made = renewFleetKey(in: &log)
        }
        do {
            if let made { try hold([made]) }
        } catch is StorageError {
            // The removal stands; the envelope is opened when the log changes, or at the next
            // start.
        }
    }

    /// Names the account, or one of its devices.
    func name(_ device: DeviceID?, _ name: String) throws {
        try change { log in
            let entry = try log.naming(device, name, signer: .device(keys), using: &node.random)
            if let entry { _ = try log.insert(entry.encoded) }
        }
    }

    /// Takes in entries that the device itself has signed, as far as there is room.
    func insertOwn(_ entries: [[UInt8]]) throws {
        do {
            try change { log in _ = try log.insert(contentsOf: entries) }
        } catch is AccountError {
            // The log is full.
        }
    }

    /// Replaces the recovery words.
    /// - Throws: `AccountError`, `StorageError`; then the old words are in force.
    func replaceRecoveryWords(by key: RecoveryKey, with new: RecoveryKey) throws {
        guard log.state.recoveryKey == key.publicKey else { throw AccountError.otherRecoveryKey }
        // Without the entry in the log this opens nothing yet.
        try changeKeyring(keyring.answering(new.door))
        try change { log in
            let entry = try log.replacingRecoveryKey(with: new.publicKey, recoveryKey: key, using: &random)
            _ = try log.insert(entry.encoded)
        }
    }
}
