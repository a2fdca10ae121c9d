package import Identity
package import Session
import Sync
package import Wire

/// The ways to peers that follow from the keys and the logs that this device has now.
///
/// An address does not prove which device is there, and a key reaches the devices of one account or the members of one zone: the plan says
/// which keys to try where.
package struct RoutePlan: Sendable {
    /// The keys of this account's channels.
    package var fleet: FleetChannelKeys
    /// The keys of the shared zones' channels.
    package var zones: RendezvousKeys
    /// The state of this account.
    package var account: AccountState
    /// The states of the other accounts that are known here.
    package var contacts: [AccountID: AccountState]

    /// - Parameters:
    ///   - fleet: The keys of this account's channels.
    ///   - zones: The keys of the shared zones' channels.
    ///   - account: The state of this account.
    ///   - contacts: The states of the other accounts.
    package init(
        fleet: FleetChannelKeys,
        zones: RendezvousKeys,
        account: AccountState,
        contacts: [AccountID: AccountState]
    ) {
        self.fleet = fleet
        self.zones = zones
        self.account = account
        self.contacts = contacts
        assert(contacts.allSatisfy { $0.key == $0.value.account }, "the log of an account is kept under the account")
    }

    /// Returns the secret of the channels by a key.
    /// - Parameter key: The key.
    /// - Returns: `nil` for a key that this device does not have, or that is not used any more.
    package func secret(of key: PeerKey) -> ChannelSecret? {
        switch key {
        case .account: fleet.secret
        case .earlier(let entry): fleet.earlierSecret(entry)
        case .zone(let zone): zones.secret(zone)
        }
    }

    /// Returns the routes to addresses whose devices are unknown: by the account's key, and by the keys of the zones that cover all other accounts.
    /// - Parameter addresses: The addresses.
    /// - Returns: For each address in order: the account's key, and those of the zones that cover all accounts.
    package func routes<Address>(to addresses: [Address]) -> [PeerRoute<Address>] {
        let keys = [PeerKey.account] + zones.order.covering.map { .zone($0) }
        return addresses.flatMap { address in keys.map { PeerRoute(address: address, key: $0) } }
    }

    /// Returns routes by other keys to an address where no device answered to the first key.
    /// - Parameters:
    ///   - route: The address, and the key that reached no device.
    ///   - device: The device that was met there.
    /// - Returns: Routes to the same address; none for an earlier key.
    package func alternatives<Address>(
        to route: PeerRoute<Address>,
        at device: DeviceID?
    ) -> [PeerRoute<Address>] {
        switch route.key {
        case .account: fleet.order.called.map { PeerRoute(address: route.address, key: .earlier($0.entry)) }
        case .zone: alternatives(to: route, reaching: device.map(accounts(claiming:)) ?? [])
        case .earlier: []
        }
    }

    /// Returns routes by the keys of other zones to an address where one zone's key reached no member of that zone.
    /// - Parameters:
    ///   - route: The address, and the key that reached nobody.
    ///   - accounts: The accounts.
    /// - Returns: Routes to the same address; none where the key was no zone's.
    package func alternatives<Address>(
        to route: PeerRoute<Address>,
        reaching accounts: [AccountID]
    ) -> [PeerRoute<Address>] {
        guard case .zone = route.key else { return [] }
        return accounts.flatMap { zones.order.zones(reaching: $0) }
            .map { PeerRoute(address: route.address, key: .zone($0)) }
    }

    /// Returns the keys by which to call a device that was met before.
    ///
    /// Any account can claim that a device is its own, so no account's claim keeps another's from being tried.
    /// - Parameter device: The device.
    /// - Returns: Empty for a device that shares nothing with this account.
    package func keys(reaching device: DeviceID) -> [PeerKey] {
        if account.includes(device) { return [.account] }
        return accounts(claiming: device).compactMap { key(reaching: device, of: $0) }
    }

    /// Returns the key by which a device of an account is called.
    /// - Parameters:
    ///   - device: The device.
    ///   - account: The account that it claims to be of.
    /// - Returns: `nil` for a device that is not active in that account, and for an account that shares nothing with this one.
    package func key(reaching device: DeviceID, of account: AccountID) -> PeerKey? {
        if account == self.account.account { return self.account.includes(device) ? .account : nil }
        guard contacts[account]?.includes(device) == true else { return nil }
        return zones.order.zones(reaching: account).first.map { .zone($0) }
    }

    /// Returns the key by which a device of this account is called that announces one.
    /// - Parameter entry: The entry that made the announced key.
    /// - Returns: `nil` for a key that is not known here, or not used any more.
    package func key(announced entry: Hash) -> PeerKey? {
        if entry == fleet.key.entry { return .account }
        return fleet.order.answered.contains { $0.entry == entry } ? .earlier(entry) : nil
    }

    /// The other accounts that claim a device as theirs, ascending.
    private func accounts(claiming device: DeviceID) -> [AccountID] {
        contacts.filter { $0.value.includes(device) }.keys.sorted()
    }
}

extension AccountState {
    /// Whether a device is active in the account.
    fileprivate func includes(_ device: DeviceID) -> Bool {
        if case .active = standing(of: device) { true } else { false }
    }
}
