; The installer of Regie for Windows: for one person, without an administrator, without a download.
;
;   makensis -INPUTCHARSET UTF8 -DVERSION=0.1.0 -DFILES=FOLDER -DOUTFILE=SETUP.EXE regie.nsi
;
; FOLDER holds regie.exe, regie.com, WebView2Loader.dll, LICENSE and icon.ico.
;
; Switches beside NSIS's own /S (silent) and /D=FOLDER (last, without quotes):
;   /AUTOSTART=1|0   start at login, or not; otherwise as it was
;   /DOWNGRADE=1     also over a newer version
; and of the uninstaller:
;   /DATA=remove     also settings, history and tokens
;
; Exit codes: 0 done, 1 cancelled, 3 a running Regie did not end, 4 a newer version is there,
; 5 a file could not be replaced, 6 this Windows is too old.

Target amd64-unicode
Unicode true
ManifestDPIAware true
ManifestLongPathAware true
ManifestSupportedOS Win10
RequestExecutionLevel user
!ifdef QUICK
  ; For tests: three times as large, packed in a tenth of the time.
  SetCompressor zlib
!else
  SetCompressor /SOLID lzma
  SetCompressorDictSize 64
!endif

!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"
!include "Sections.nsh"
!include "WinVer.nsh"
!include "WordFunc.nsh"

!define PRODUCT "Regie"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${PRODUCT}"
!define RUN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"
!define APP_PATHS_KEY "Software\Microsoft\Windows\CurrentVersion\App Paths\regie.exe"
!define OPEN_WITH_KEY "Software\Classes\Applications\regie.exe"
!define WEBVIEW_PAGE "https://developer.microsoft.com/microsoft-edge/webview2"
!define WEBVIEW_CLIENT "Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"

; Windows 10 1809: the first one whose Bluetooth Regie is written for.
!define OLDEST_BUILD 17763

!define EXIT_STILL_RUNS 3
!define EXIT_NEWER 4
!define EXIT_NOT_REPLACED 5
!define EXIT_TOO_OLD 6

Name "${PRODUCT}"
OutFile "${OUTFILE}"
InstallDir "$LOCALAPPDATA\Programs\${PRODUCT}"
InstallDirRegKey HKCU "${UNINSTALL_KEY}" "InstallLocation"
BrandingText "${PRODUCT} ${VERSION}"
ShowInstDetails nevershow
ShowUninstDetails nevershow

VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${PRODUCT}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${PRODUCT} Setup"
VIAddVersionKey "LegalCopyright" "MIT OR Apache-2.0"

!define MUI_ICON "${FILES}/icon.ico"
!define MUI_UNICON "${FILES}/icon.ico"
!define MUI_ABORTWARNING
!define MUI_COMPONENTSPAGE_NODESC
!define MUI_FINISHPAGE_RUN "$INSTDIR\regie.exe"
!define MUI_FINISHPAGE_RUN_TEXT "$(startNow)"

!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES

; The one that the system speaks is taken, else the first.
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "French"
!insertmacro MUI_LANGUAGE "SimpChinese"
!include "languages/en.nsh"
!include "languages/fr.nsh"
!include "languages/zh.nsh"

Var code
Var file
Var number

; ---- what installer and uninstaller share

; Ends the Regie that runs, as its own Quit does. Where it does not end, a person may try again, and a
; silent run stops before anything is changed.
!macro EndRunning UN
Function ${UN}EndRunning
  ${IfNot} ${FileExists} "$INSTDIR\regie.exe"
    Return
  ${EndIf}
  retry:
  ClearErrors
  ExecWait '"$INSTDIR\regie.exe" quit' $code
  ${If} ${Errors}
    StrCpy $code 1
  ${EndIf}
  ${If} $code != 0
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(stillRuns)" /SD IDCANCEL IDRETRY retry
    SetErrorLevel ${EXIT_STILL_RUNS}
    Quit
  ${EndIf}
FunctionEnd
!macroend
!insertmacro EndRunning ""
!insertmacro EndRunning "un."

; Takes $file in $INSTDIR away. What a program still uses, such as the one that an AI client has
; started, cannot be deleted but renamed, and goes at the next install.
!macro TakeAway UN
Function ${UN}TakeAway
  StrCpy $number 0
  ${IfNot} ${FileExists} "$INSTDIR\$file"
    Return
  ${EndIf}
  ClearErrors
  Delete "$INSTDIR\$file"
  ${DoWhile} ${FileExists} "$INSTDIR\$file"
    IntOp $number $number + 1
    ${If} $number > 99
      ${ExitDo}
    ${EndIf}
    ClearErrors
    Rename "$INSTDIR\$file" "$INSTDIR\$file.$number.old"
  ${Loop}
FunctionEnd
!macroend
!insertmacro TakeAway ""
!insertmacro TakeAway "un."

!macro DeleteOld
  Delete "$INSTDIR\*.old"
  Delete "$INSTDIR\*.new"
!macroend

!macro TellShell
  ; SHCNE_ASSOCCHANGED: the list of Open with has changed.
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
!macroend

; ---- installing

!macro Replace NAME
  StrCpy $file "${NAME}"
  Call Replace
!macroend

; Puts the new $file, which lies beside it, in its place; where that fails the one before comes back.
Function Replace
  Call TakeAway
  ClearErrors
  Rename "$INSTDIR\$file.new" "$INSTDIR\$file"
  ${If} ${Errors}
    ${If} $number > 0
      Rename "$INSTDIR\$file.$number.old" "$INSTDIR\$file"
    ${EndIf}
    MessageBox MB_OK|MB_ICONSTOP "$(notReplaced)" /SD IDOK
    SetErrorLevel ${EXIT_NOT_REPLACED}
    Quit
  ${EndIf}
FunctionEnd

Function .onInit
  SetShellVarContext current
  ${IfNot} ${AtLeastBuild} ${OLDEST_BUILD}
    MessageBox MB_OK|MB_ICONSTOP "$(tooOld)" /SD IDOK
    SetErrorLevel ${EXIT_TOO_OLD}
    Quit
  ${EndIf}
  ReadRegStr $0 HKCU "${UNINSTALL_KEY}" "DisplayVersion"
  ${If} $0 != ""
    ${VersionCompare} "$0" "${VERSION}" $1
    ${GetParameters} $2
    ClearErrors
    ${GetOptions} $2 "/DOWNGRADE=" $3
    ${If} $1 == 1
    ${AndIf} $3 != 1
      MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(newerIsThere)" /SD IDNO IDYES older
      SetErrorLevel ${EXIT_NEWER}
      Quit
      older:
    ${EndIf}
  ${EndIf}
  Call LookForAutostart
FunctionEnd

Section "-${PRODUCT}"
  Call EndRunning
  SetOutPath "$INSTDIR"
  !insertmacro DeleteOld
  ClearErrors
  File "/oname=regie.exe.new" "${FILES}/regie.exe"
  File "/oname=regie.com.new" "${FILES}/regie.com"
  File "/oname=WebView2Loader.dll.new" "${FILES}/WebView2Loader.dll"
  ${If} ${Errors}
    StrCpy $file "regie.exe"
    MessageBox MB_OK|MB_ICONSTOP "$(notReplaced)" /SD IDOK
    SetErrorLevel ${EXIT_NOT_REPLACED}
    Quit
  ${EndIf}
  !insertmacro Replace "regie.exe"
  !insertmacro Replace "regie.com"
  !insertmacro Replace "WebView2Loader.dll"
  File "${FILES}/LICENSE"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${PRODUCT}.lnk" "$INSTDIR\regie.exe"

  WriteRegStr HKCU "${APP_PATHS_KEY}" "" "$INSTDIR\regie.exe"
  WriteRegStr HKCU "${OPEN_WITH_KEY}" "FriendlyAppName" "${PRODUCT}"
  WriteRegStr HKCU "${OPEN_WITH_KEY}\shell\open\command" "" '"$INSTDIR\regie.exe" "%1"'
  !macro OpensWith ENDING
    WriteRegStr HKCU "${OPEN_WITH_KEY}\SupportedTypes" "${ENDING}" ""
  !macroend
  !insertmacro OpensWith ".bmp"
  !insertmacro OpensWith ".gif"
  !insertmacro OpensWith ".jpeg"
  !insertmacro OpensWith ".jpg"
  !insertmacro OpensWith ".png"
  !insertmacro OpensWith ".svg"
  !insertmacro OpensWith ".tif"
  !insertmacro OpensWith ".tiff"
  !insertmacro OpensWith ".webp"
  !insertmacro TellShell

  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "${PRODUCT}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\regie.exe"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "${PRODUCT}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" $0
  Call LookForWebView
SectionEnd

Section /o "$(startAtLogin)" autostart
SectionEnd

Section "-Autostart"
  ${If} ${SectionIsSelected} ${autostart}
    WriteRegStr HKCU "${RUN_KEY}" "${PRODUCT}" '"$INSTDIR\regie.exe" --hidden'
  ${Else}
    DeleteRegValue HKCU "${RUN_KEY}" "${PRODUCT}"
  ${EndIf}
SectionEnd

; As it was before, or as it is asked for.
Function LookForAutostart
  ReadRegStr $0 HKCU "${RUN_KEY}" "${PRODUCT}"
  ${GetParameters} $1
  ClearErrors
  ${GetOptions} $1 "/AUTOSTART=" $2
  ${If} $2 == 1
    StrCpy $0 "1"
  ${ElseIf} $2 == 0
    ${IfNot} ${Errors}
      StrCpy $0 ""
    ${EndIf}
  ${EndIf}
  ${If} $0 != ""
    !insertmacro SelectSection ${autostart}
  ${EndIf}
FunctionEnd

; The window is drawn by the WebView2 Runtime, part of Windows 11 and of an updated Windows 10.
Function LookForWebView
  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\${WEBVIEW_CLIENT}" "pv"
  ${If} $0 == ""
    ReadRegStr $0 HKLM "SOFTWARE\${WEBVIEW_CLIENT}" "pv"
  ${EndIf}
  ${If} $0 == ""
    ReadRegStr $0 HKCU "Software\${WEBVIEW_CLIENT}" "pv"
  ${EndIf}
  ${If} $0 == ""
  ${OrIf} $0 == "0.0.0.0"
    MessageBox MB_YESNO|MB_ICONINFORMATION "$(noWebView)" /SD IDNO IDNO go_on
    ExecShell "open" "${WEBVIEW_PAGE}"
    go_on:
  ${EndIf}
FunctionEnd

; ---- uninstalling

!macro un.Remove NAME
  StrCpy $file "${NAME}"
  Call un.TakeAway
!macroend

Section "Uninstall"
  SetShellVarContext current
  Call un.EndRunning
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DATA=" $1
  ${If} $1 != "remove"
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(removeData)" /SD IDNO IDNO keep_data
  ${EndIf}
  ExecWait '"$INSTDIR\regie.exe" erase --yes' $code
  keep_data:
  !insertmacro un.Remove "regie.exe"
  !insertmacro un.Remove "regie.com"
  !insertmacro un.Remove "WebView2Loader.dll"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\uninstall.exe"
  !insertmacro DeleteOld
  ; Only where nothing else is in it.
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${PRODUCT}.lnk"
  DeleteRegValue HKCU "${RUN_KEY}" "${PRODUCT}"
  DeleteRegKey HKCU "${OPEN_WITH_KEY}"
  DeleteRegKey HKCU "${APP_PATHS_KEY}"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  !insertmacro TellShell
SectionEnd
