//! Statuses of the families, with the members that their firmwares send and values made up here.

/// The Freenove board in the middle of a game, nothing left out.
pub(super) const FREENOVE: &str = r#"{
"network":{"state":"connected","mode":"STA","sta_connected":true,"sta_connecting":false,"fallback_ap":false,"sta_ssid":"Salle 2","ap_ssid":"Freenove-Setup","local_match":true,"ap_clients":0,"ip":"192.168.7.31","rssi":-61},
"wifi":{"connected":true,"has_credentials":true,"setup_mode":false,"auth_required":true,"token_set":true,"ssid":"Salle 2","ip":"192.168.7.31","rssi":-61,"state":"connected","ap_active":false,"ap_ip":"","mode":"STA"},
"espnow":{"ready":true,"peer_count":2,"tx_ok":205,"tx_fail":4,"rx_count":91,"last_rx_mac":"02:00:00:00:00:07","last_msg_id":"regie-12","last_seq":12,"last_type":"ack","last_ack":true,"last_payload":"{\"ok\":true,\"code\":\"SC_EVENT\"}","device_name":"U_SON","peers":["02:00:00:00:00:07","02:00:00:00:00:08"]},
"story":{"scenario":"DEFAULT","step":"SCENE_QR_DETECTOR","screen":"SCENE_QR_DETECTOR","audio_pack":""},
"audio":{"playing":true,"track":"/music/sonar_hint.mp3","codec":"mp3","bitrate_kbps":128,"fx":0,"fx_label":"OFF","profile":0,"volume":15},
"hardware":{"ready":true,"ws2812_ready":true,"mic_ready":true,"battery_ready":true,"led_manual":true,"led":{"r":0,"g":128,"b":255,"mode":"manual"},"led_brightness":40,"battery_pct":63,"battery_mv":3870,"charging":false,"scene_id":"SCENE_QR_DETECTOR"},
"camera":{"supported":true,"enabled":true,"frame_size":"VGA","jpeg_quality":12,"capture_count":9,"fail_count":1,"last_file":"/picture/9.jpg","last_error":""},
"media":{"ready":true,"playing":true,"playing_path":"/music/sonar_hint.mp3","recording":false,"last_ok":true,"last_error":""},
"apps":{"running_id":"audio_player","state":"running","last_error":"","last_event":"","missing_cap_mask":0},
"resource":{"profile":"gfx_plus_cam_snapshot","profile_auto":true,"graphics_pressure":false,"allow_camera_ops":true,"camera_allowed_ops":9,"camera_blocked_ops":2}
}"#;

/// The Story V2 board.
pub(super) const STORY_V2: &str = r#"{"wifi":{"connected":true,"ap":false,"scanning":false,"mode":"STA","ssid":"Salle 3","ip":"192.168.7.44","rssi":-70,"disconnect_reason":0,"disconnect_label":"none","disconnect_count":3,"last_disconnect_ms":88210},"radio":{"active":false,"id":"","station":"","state":"idle"},"player":{"playing":true,"paused":false,"track":"intro.mp3","tracks":7,"volume":55,"backend":"sd","scan":"idle"},"rtos":{"tasks":19,"heap_free":143880,"heap_min":98000,"heap_size":327680}}"#;

/// The story of the Story V2 board.
pub(super) const STORY: &str = r#"{"status":"running","scenario_id":"EXPRESS","current_step":"STEP_WAIT","progress_pct":40,"started_at_ms":1200,"selected":"EXPRESS","queue_depth":0}"#;

/// The telephone.
pub(super) const TELEPHONE: &str = r#"{"board_profile":"ESP32_A252","active_scene":"","telephony":{"state":"IDLE","hook":"ON_HOOK"},"audio":{"playing":false},"espnow":{"ready":true,"peer_count":1,"tx_ok":6,"tx_fail":0,"rx_count":2,"peers":[]}}"#;

/// A board that keeps to the contract, flat.
pub(super) const SPEC: &str = r##"{"id":"zacus-main","version":"3.1","step":"STEP_2","scenario":"ROOM_A","uptime":5400,"free_heap":182000,"wifi_rssi":-55,"puzzles":{"PUZZLE_COFFRE":"locked","PUZZLE_FIOLE":{"state":"unlocked"}},"sensors":{"door":0},"volume":70,"audio":{"playing":true,"src":"/audio/hint_01.mp3"},"led":{"color":"#00ff00"},"camera":true}"##;
